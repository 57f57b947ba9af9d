//go:build unix

package cache_test

const locksAcrossOpens = true
