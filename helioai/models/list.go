package models

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/compat"
)

// listTime is how long a server may take to say what it has.
const listTime = 4 * time.Second

// models asks the server which models it has. The error is an [*Error].
func (a *access) models(ctx context.Context) ([]provider.Info, error) {
	within, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	d, header := a.lister()
	infos, err := compat.List(within, d, &compat.Options{Key: a.key, BaseURL: d.BaseURL, Header: header, HTTP: a.c.HTTP})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case within.Err() != nil:
		return nil, &Error{Text: fmt.Sprintf("%s does not answer at %s within %s; check the network, or %s", a.Title, a.where(), listTime, a.setting()), Err: within.Err()}
	case err != nil:
		return nil, (&model{access: a}).word(ctx, err)
	}
	return infos, nil
}

// lister is how a provider lists its models: nearly all do it as OpenAI does, with
// the key in another place.
func (a *access) lister() (compat.Dialect, http.Header) {
	d := compat.Dialect{Name: a.Name, BaseURL: a.address(), Keyless: true}
	switch a.Name {
	case "anthropic":
		d.BaseURL += "/v1"
		d.KeyHeader = "X-Api-Key"
		return d, http.Header{"Anthropic-Version": {"2023-06-01"}}
	case "gemini":
		d.KeyHeader = "X-Goog-Api-Key"
	case "azure":
		d.BaseURL += "/openai/v1"
		d.KeyHeader = "Api-Key"
	}
	return d, nil
}

// ids are those of the models that the server has.
func (a *access) ids(ctx context.Context) ([]string, error) {
	infos, err := a.models(ctx)
	ids := make([]string, len(infos))
	for i := range infos {
		ids[i] = wording.Line(infos[i].ID, 120)
	}
	return ids, err
}
