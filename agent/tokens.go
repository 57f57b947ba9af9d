package agent

import "github.com/helios-go/helios/llm"

// Token counts before a call are estimates: about four ASCII bytes a token, one
// for any other character, and flat amounts for what is not text. The tokens that
// the model reported last correct them by a factor.
const (
	tokensPerMessage = 4
	tokensPerMedia   = 1600
	bytesPerToken    = 4
)

// EstimateTokens guesses how many tokens messages take. A guess is good enough to
// decide when to make room; models count for themselves.
func EstimateTokens(messages []llm.Message) int64 {
	var n int64
	for i := range messages {
		n += tokensPerMessage + estimateParts(messages[i].Parts)
	}
	return n
}

func estimateParts(parts []llm.Part) int64 {
	var n int64
	for i := range parts {
		p := &parts[i]
		n += estimateText(p.Text) + estimateText(p.Signature)
		if p.Opaque != nil {
			n += int64(len(p.Opaque.Data)) / bytesPerToken
		}
		switch {
		case p.Call != nil:
			n += estimateText(p.Call.Name) + int64(len(p.Call.Args))/bytesPerToken + tokensPerMessage
		case p.Result != nil:
			n += estimateParts(p.Result.Parts) + tokensPerMessage
		case p.Media != nil, p.File != nil:
			n += tokensPerMedia
		}
	}
	return n
}

func estimateText(s string) int64 {
	ascii, other := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x80:
			ascii++
		case c >= 0xC0: // the first byte of a character
			other++
		}
	}
	return int64((ascii+bytesPerToken-1)/bytesPerToken + other)
}

// estimateRequest guesses the tokens of a whole request.
func estimateRequest(req *llm.Request) int64 {
	n := estimateParts(req.System) + EstimateTokens(req.Messages)
	for i := range req.Tools {
		t := &req.Tools[i]
		n += int64(len(t.Name)+len(t.Description)+len(t.Input))/bytesPerToken + tokensPerMessage
	}
	if req.Output != nil {
		n += int64(len(req.Output.JSON)) / bytesPerToken
	}
	return n
}

// Where the model does not tell its window and no limit is set, this many tokens
// are taken to fit.
const defaultContext = 180_000

// headroom is kept for the answer where nobody tells the longest one, but of a
// small window no more than a quarter.
const headroom = 20_000

// ceiling is how many tokens a request may have: what the limit or the model's
// window, less room for the answer, leaves.
func (a *Agent) ceiling() int64 {
	limit := a.Limits.Context
	if sizer, ok := a.Model.(llm.Sizer); ok {
		size := sizer.Size()
		room := min(headroom, size.Context/4)
		switch asked := a.Options.MaxTokens; {
		case asked > 0:
			room = min(asked, size.Context/2)
		case size.MaxOutput > 0:
			room = min(size.MaxOutput, size.Context/2)
		}
		if fits := size.Context - room; fits > 0 && (limit <= 0 || fits < limit) {
			limit = fits
		}
	}
	if limit <= 0 {
		return defaultContext
	}
	return limit
}
