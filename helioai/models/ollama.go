package models

import (
	"net/url"
	"strings"
)

// ollamaAddress makes an address of what OLLAMA_HOST holds for Ollama itself: a
// host, a port, both, or a URL; and a server that listens everywhere is reached here.
func ollamaAddress(host string) string {
	if host == "" {
		return ""
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host // whoever uses it says what is wrong
	}
	name, port := u.Hostname(), u.Port()
	switch name {
	case "", "0.0.0.0", "::":
		name = "127.0.0.1"
	}
	if port == "" && u.Scheme == "http" {
		port = "11434"
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if u.Host = name; port != "" {
		u.Host += ":" + port
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
	}
	return u.String()
}
