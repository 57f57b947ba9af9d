package sandbox

import (
	"fmt"
	"strings"
)

// oneSentence keeps a message from others short and on one line.
func oneSentence(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " ..."
	}
	return strings.TrimRight(s, ". ")
}

// size writes a number of bytes as people do.
func size(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%1e6 == 0:
		return fmt.Sprintf("%d MB", n/1e6)
	}
	return fmt.Sprintf("%d bytes", n)
}
