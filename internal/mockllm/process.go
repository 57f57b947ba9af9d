package mockllm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// leash is run by Node before the server: the process ends when its standard
// input does, which happens however the test binary ends.
const leash = `data:text/javascript,process.stdin.resume();` +
	`for(const e of ["end","close","error"])process.stdin.on(e,()=>process.exit(0))`

// startTime is how long a server may take to listen; a busy machine needs seconds.
const startTime = time.Minute

// A process is a server's process.
type process struct {
	cmd   *exec.Cmd
	leash io.Closer
	read  chan struct{} // closed once its output has ended

	mu   sync.Mutex
	said []byte // the end of its output
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

func start(f installed, o Options) (*Server, error) {
	p := &process{
		cmd: exec.CommandContext(context.Background(), f.node, "--import", leash, f.server, "--strict", "--validate-on-load",
			"-h", "127.0.0.1", "-p", "0", "-f", o.Fixtures, "-c", strconv.Itoa(o.Chunk)),
		read: make(chan struct{}),
	}
	// No setting of this machine, a proxy for instance, is the server's business.
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.leash = in
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	urls := make(chan string, 1)
	go p.follow(out, urls)
	timeout := time.NewTimer(startTime)
	defer timeout.Stop()
	select {
	case url := <-urls:
		if err := answers(url); err != nil {
			p.stop()
			return nil, err
		}
		return &Server{process: p, url: url}, nil
	case <-p.read:
		p.stop()
		return nil, fmt.Errorf("it has ended; it said:\n%s", p.output())
	case <-timeout.C:
		p.stop()
		return nil, fmt.Errorf("it does not listen after %s; it said:\n%s", startTime, p.output())
	}
}

// follow reads the server's output to its end.
func (p *process) follow(out io.Reader, urls chan<- string) {
	defer close(p.read)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if m := listening.FindSubmatch(line); m != nil {
			select {
			case urls <- string(bytes.TrimRight(m[1], "/")):
			default:
			}
		}
		p.mu.Lock()
		p.said = append(p.said, line...)
		p.said = p.said[max(0, len(p.said)-16<<10):]
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// client asks servers about themselves. It leaves no connection behind.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: startTime}

// answers asks the server for its health.
func answers(url string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url+"/health", nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return errors.New("it answers " + resp.Status)
	}
	return nil
}

// output is the end of what the server has said.
func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.said)
}

// stop ends the process and waits for it. Its output is read to the end first,
// as Wait closes the pipe.
func (p *process) stop() {
	_ = p.leash.Close()
	timeout := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timeout.Stop()
	<-p.read
	_ = p.cmd.Wait()
}
