package models

import "testing"

func TestOllamaHostIsReadAsOllamaDoes(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "", "127.0.0.1": "http://127.0.0.1:11434/v1", "0.0.0.0:8000": "http://127.0.0.1:8000/v1", ":8000": "http://127.0.0.1:8000/v1",
		"gpu.example.org": "http://gpu.example.org:11434/v1", "https://ollama.example.org": "https://ollama.example.org/v1",
		"[::1]:11434": "http://[::1]:11434/v1", "http://host:1/v1": "http://host:1/v1", "http://host:1/ollama/v1": "http://host:1/ollama/v1",
	} {
		if got := ollamaAddress(host); got != want {
			t.Errorf("ollamaAddress(%q) = %q, want %q", host, got, want)
		}
	}
}
