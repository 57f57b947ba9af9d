package compat

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// findWithin is how long a server on this machine may take to be found.
const findWithin = 300 * time.Millisecond

// Ollama makes a model of an Ollama server: that of OLLAMA_HOST, else the one on
// port 11434 of this machine.
func Ollama(model string, o *Options) *Model { return ollama.New(model, o) }

// FindOllama looks for an Ollama server, at OLLAMA_HOST or on port 11434 of this
// machine, for at most 300 ms, and lists the models that it has. The error says in
// one sentence why there is none, and what to do.
func FindOllama(ctx context.Context) (baseURL string, models []string, err error) {
	d := ollama
	d.BaseURL = ollamaHost()
	late := &llm.Error{Kind: llm.KindTransient, Provider: d.Name, Err: fmt.Errorf("no answer from %s within %s; %s", d.BaseURL, findWithin, d.Hint)}
	ctx, cancel := context.WithTimeoutCause(ctx, findWithin, late)
	defer cancel()
	// A client of its own: no proxy knows of this machine's servers.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	infos, err := List(ctx, d, &Options{HTTP: client})
	if err != nil {
		return "", nil, err
	}
	for i := range infos {
		models = append(models, infos[i].ID)
	}
	return d.BaseURL, models, nil
}

// ollamaHost is the base URL that OLLAMA_HOST means, which is a host, a port, both,
// or a URL. 0.0.0.0 is what a server listens at, and no address to ask.
func ollamaHost() string {
	host := strings.Trim(strings.TrimSpace(os.Getenv("OLLAMA_HOST")), `"'`)
	if host == "" {
		return ollama.BaseURL
	}
	scheme, port := "http", "11434"
	if before, after, found := strings.Cut(host, "://"); found {
		scheme, host = before, after
		switch scheme {
		case "http":
			port = "80"
		case "https":
			port = "443"
		}
	}
	host, path, _ := strings.Cut(host, "/")
	if h, p, err := net.SplitHostPort(host); err == nil {
		host, port = h, p
	} else {
		host = strings.Trim(host, "[]")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: "/" + path}
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1"), "/") + "/v1"
}
