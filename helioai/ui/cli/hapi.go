package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/hapi/hapiserver"
)

func newHAPI(stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hapi",
		Short: "Share local files with every HAPI client",
		Args:  takesNoWords,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newServe(stderr))
	return cmd
}

// serving is one call of helioai hapi serve.
type serving struct {
	stderr  io.Writer
	paths   []string
	addr    string
	options hapiserver.Options
}

func newServe(stderr io.Writer) *cobra.Command {
	s := &serving{stderr: stderr}
	cmd := &cobra.Command{
		Use:   "serve FILE|DIR...",
		Short: "Serve CDF and CSV files over HAPI 3.3",
		Long: `Serve the CDF and CSV files of folders over HAPI 3.3, until Ctrl-C.

Files that are parts of one dataset, such as x_20230102_v01.cdf and
x_20230103_v01.cdf, are one dataset, "x"; of several versions of a day the newest
counts. Who may reach the address may read all of the data: by default that is
this machine alone.`,
		Example: `  helioai hapi serve ~/cdf
  helioai hapi serve --addr :8000 --title "Our spacecraft" --contact data@example.org ~/cdf`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{fmt.Errorf("name the files or folders to serve; see %s --help", cmd.CommandPath())}
			}
			s.paths = args
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	cmd.Flags().StringVar(&s.addr, "addr", "127.0.0.1:8000", "listen at this `host:port`; port 0 takes a free one")
	cmd.Flags().StringVar(&s.options.ID, "id", "", "the server's id in /about")
	cmd.Flags().StringVar(&s.options.Title, "title", "", "the server's title in /about")
	cmd.Flags().StringVar(&s.options.Contact, "contact", "", "who answers questions, in /about")
	cmd.Flags().IntVar(&s.options.MaxRecords, "max-records", 0, fmt.Sprintf("how many records one request may ask for (default %d)", hapiserver.MaxRecords))
	return cmd
}

func (s *serving) run(ctx context.Context) error {
	if s.options.MaxRecords < 0 {
		return &usageError{errors.New("--max-records must be positive")}
	}
	arch, err := archive.OpenLocal(s.paths)
	if err != nil {
		return err
	}
	s.options.Failed = func(err error) { s.say(caution.Render("! " + clip(err.Error()))) }
	handler, err := hapiserver.New(ctx, arch, &s.options)
	if err != nil {
		return err
	}
	for _, why := range skipped(arch) {
		s.say(caution.Render("left out: " + why))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", s.addr, err)
	}
	s.say(fmt.Sprintf("serving %s at %s (Ctrl-C ends it)", plural(len(handler.Datasets()), "dataset"), strong.Render("http://"+reachable(listener.Addr())+"/hapi")))
	return s.serve(ctx, listener, handler)
}

func (s *serving) say(text string) { _, _ = lipgloss.Fprintln(s.stderr, text) } // a courtesy

// reachable is an address that a browser on this machine can use.
func reachable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(strings.TrimSpace(host), port)
}

// serve answers until the context ends, and then what was begun, for a while.
func (s *serving) serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		_ = server.Close() // what takes longer breaks off
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	s.say("ended")
	return nil
}
