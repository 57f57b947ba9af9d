package platforms

import (
	"syscall"

	"github.com/helios-go/helios/agent"
)

var _ = syscall.Getpid

var _ agent.Agent
