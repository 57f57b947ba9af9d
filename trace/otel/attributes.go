package otel

import (
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/trace"
)

// providers are the providers' names in the conventions where they differ from
// the first part of a model's name.
var providers = map[string]string{
	"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "gemini": "gcp.gemini", "google": "gcp.gemini",
	"mistral": "mistral_ai", "vertex": "gcp.vertex_ai", "watsonx": "ibm.watsonx.ai", "xai": "x_ai",
}

// splitModel takes "provider/name" apart.
func splitModel(id string) (provider, model string) {
	provider, model, ok := strings.Cut(id, "/")
	if !ok {
		return "", id
	}
	if name, ok := providers[provider]; ok {
		provider = name
	}
	return provider, model
}

// list collects attributes that are not empty.
type list []attribute.KeyValue

func (l *list) text(key, value string) {
	if value != "" {
		*l = append(*l, attribute.String(key, value))
	}
}

func (l *list) int(key string, value int64) {
	if value != 0 {
		*l = append(*l, attribute.Int64(key, value))
	}
}

func (l *list) number(key, value string) {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		*l = append(*l, attribute.Int64(key, n))
	}
}

// attributes are those of a span. They are picked one by one, so that nothing of
// what was said slips in.
func (x *Exporter) attributes(s *trace.Span, agentName string) []attribute.KeyValue {
	var l list
	switch s.Kind {
	case trace.KindRun:
		l.text("gen_ai.operation.name", "invoke_agent")
		l.text("gen_ai.agent.name", s.Name)
		l.model(s.Model)
		l.text("helios.parent.session", s.Attrs["parent_session"])
		l.text("helios.forked_from", s.Attrs["forked_from"])
		l.number("helios.turns", s.Attrs["turns"])
		l.number("helios.tool_calls", s.Attrs["tool_calls"])
		l.usage(s, false)
	case trace.KindModel:
		l.text("gen_ai.operation.name", "chat")
		l.text("gen_ai.agent.name", agentName)
		l.model(s.Model)
		if finish := s.Attrs["finish"]; finish != "" {
			l = append(l, attribute.StringSlice("gen_ai.response.finish_reasons", []string{finish}))
		}
		l.usage(s, true)
	case trace.KindTool:
		l.text("gen_ai.operation.name", "execute_tool")
		l.text("gen_ai.tool.name", s.Name)
		l.text("gen_ai.tool.call.id", s.Call)
		l.text("gen_ai.tool.type", "function")
		l.text("gen_ai.agent.name", agentName)
		for _, name := range []string{"decision", "effect", "made", "resumed", "tool_kind"} {
			l.text("helios.tool."+name, s.Attrs[name])
		}
		l.number("helios.tool.redactions", s.Attrs["redactions"])
	case trace.KindCompaction:
		l.model(s.Model)
		for _, name := range []string{"removed", "tokens_before", "tokens_after"} {
			l.number("helios.compaction."+name, s.Attrs[name])
		}
		l.usage(s, true)
	case trace.KindAttempt:
		l.int("helios.attempt", int64(s.Attempt))
		l.text("gen_ai.tool.call.id", s.Call)
	case trace.KindQuestion:
		l.text("gen_ai.tool.name", s.Name)
		l.text("gen_ai.tool.call.id", s.Call)
		l.text("helios.question.permission", s.Attrs["permission"])
	}
	l.text("gen_ai.conversation.id", s.Session)
	l.text("helios.run.id", s.Run)
	l.int("helios.turn", int64(s.Turn))
	l.text("helios.outcome", string(s.Outcome))
	if s.Failed() {
		l.text("error.type", errorType(s))
	}
	if x.content && s.Content != nil {
		l.content(s)
	}
	return l
}

// errorType is a word for what went wrong, from a small set.
func errorType(s *trace.Span) string {
	if e := s.Attrs["error"]; e != "" && e != "other" {
		return e
	}
	return string(s.Outcome)
}

func (l *list) model(id string) {
	provider, model := splitModel(id)
	l.text("gen_ai.provider.name", provider)
	l.text("gen_ai.request.model", model)
}

// usage adds what the span and those below it have used. The conventions count
// tokens of the cache as input, too.
func (l *list) usage(s *trace.Span, cache bool) {
	u, cost := s.Total()
	if u != nil {
		*l = append(*l,
			attribute.Int64("gen_ai.usage.input_tokens", u.Input+u.CacheRead+u.CacheWrite),
			attribute.Int64("gen_ai.usage.output_tokens", u.Output))
		if cache {
			l.int("gen_ai.usage.cache_read.input_tokens", u.CacheRead)
			l.int("gen_ai.usage.cache_write.input_tokens", u.CacheWrite)
		}
	}
	if cost != nil {
		*l = append(*l, attribute.Int64("helios.cost.micros", int64(*cost)))
	}
}

// content adds what was said.
func (l *list) content(s *trace.Span) {
	c := s.Content
	if len(c.Input) > 0 {
		l.text("gen_ai.input.messages", messages(c.Input, ""))
	}
	if c.Output != nil {
		l.text("gen_ai.output.messages", messages([]llm.Message{*c.Output}, s.Attrs["finish"]))
	}
	if len(c.Args) > 0 {
		l.text("gen_ai.tool.call.arguments", string(c.Args))
	}
	if c.Result != nil {
		l.text("gen_ai.tool.call.result", c.Result.Text())
		if c.Result.Name != s.Name {
			l.text("helios.tool.called", c.Result.Name) // which there may be none of
		}
	}
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
