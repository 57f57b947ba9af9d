//go:build unix && !linux

package sandbox

import "net"

// checkPair has nothing to ask where the kernel does not say who a peer is: a
// pair has no name that somebody could have connected to.
func checkPair(net.Conn) error { return nil }
