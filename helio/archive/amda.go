package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/internal/polite"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// AMDA is the archive of the French plasma physics data centre (CDPP), over its own
// interface. An id is amda/<dataset>/<parameter>, or amda/<parameter> for short,
// since AMDA's parameters have names of their own. A parameter with something to
// choose ([Template]) is asked for by the name that a choice gives it, or by its own
// with the defaults, which the series notes. It is safe for concurrent use.
type AMDA struct {
	*remote

	mu   sync.Mutex
	body []byte // the inventory that tree was read from
	tree []amdaDataset
}

var _ Archive = (*AMDA)(nil)

const (
	amdaAddress = "https://amda.irap.omp.eu/php/rest"
	amdaStep    = 10 * 24 * time.Hour
	amdaTree    = 12 * time.Hour   // how long the inventory is believed
	amdaPoll    = 10 * time.Second // between two questions whether a result is there
	amdaPatient = 200              // so many of them: half an hour
)

// NewAMDA returns the archive. It asks nobody.
func NewAMDA(opts *Options) *AMDA { return &AMDA{remote: newRemote("amda", amdaAddress, opts)} }

// Name says what it is.
func (*AMDA) Name() string { return "AMDA" }

// Inventory lists all datasets with their parameters.
func (a *AMDA) Inventory(ctx context.Context) ([]Dataset, error) {
	tree, err := a.datasets(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Dataset, len(tree))
	for i := range tree {
		out[i] = tree[i].Dataset
	}
	return out, nil
}

// Describe returns one dataset.
func (a *AMDA) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	tree, err := a.datasets(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(tree, func(d amdaDataset) bool { return d.ID == dataset }); i >= 0 {
		return &tree[i].Dataset, nil
	}
	return nil, &UnknownError{ID: JoinDatasetID("amda", dataset)}
}

func (a *AMDA) datasets(ctx context.Context) ([]amdaDataset, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, _, err := a.document(ctx, kept{
		key: cache.Key{Server: a.server(), Dataset: "inventory"}, maxAge: amdaTree,
		get: func(ctx context.Context, _ cache.Meta) ([]byte, cache.Meta, error) {
			body, err := a.indirect(ctx, "/getObsDataTree.php", url.Values{"templateInfo": {"True"}})
			return body, cache.Meta{}, err
		},
		check: func(body []byte) error { _, err := parseAMDATree(body); return err },
	})
	if err == nil && (a.tree == nil || !slices.Equal(body, a.body)) {
		var tree []amdaDataset
		if tree, err = parseAMDATree(body); err == nil {
			a.body, a.tree = body, tree
		}
	}
	if err != nil {
		return nil, a.failed("list the datasets", err)
	}
	return a.tree, nil
}

// indirect asks a script that answers with the address of what was asked for, bare
// or inside an element.
func (a *AMDA) indirect(ctx context.Context, script string, query url.Values) ([]byte, error) {
	body, _, err := a.get(ctx, script+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	address := strings.TrimSpace(string(body))
	if strings.HasPrefix(address, "<") {
		if _, after, ok := strings.Cut(address, "?>"); ok {
			address = after
		}
		_, after, _ := strings.Cut(address, ">")
		address, _, _ = strings.Cut(after, "<")
		address = strings.TrimSpace(address)
	}
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return nil, fmt.Errorf("%s did not answer with an address", strings.TrimPrefix(script, "/"))
	}
	body, _, err = a.get(ctx, address, nil)
	return body, err
}

// account is the user's, where there is one.
func (a *AMDA) account(query url.Values) url.Values {
	if a.opts.User != "" {
		query.Set("userID", a.opts.User)
		query.Set("password", a.opts.Password)
	}
	return query
}

// find returns the parameter of an id, the name by which AMDA knows it, and what a
// reader should be told of the choice.
func (a *AMDA) find(tree []amdaDataset, id string) (d *amdaDataset, p *Parameter, name string, notes []string, err error) {
	var dataset, wanted string
	if _, short, ok := strings.Cut(id, "/"); ok && !strings.Contains(short, "/") {
		wanted, err = unescape(short)
	} else {
		_, dataset, wanted, err = SplitID(id)
	}
	if err != nil {
		return nil, nil, "", nil, err
	}
	for i := range tree {
		if d = &tree[i]; dataset != "" && d.ID != dataset {
			continue
		}
		for j := range d.Parameters {
			p = &d.Parameters[j]
			switch {
			case p.Name == wanted && p.Template == nil:
				return d, p, wanted, nil, nil
			case p.Name == wanted:
				name, notes, err = p.Template.Resolve(nil)
				return d, p, name, notes, err
			case p.Template != nil:
				if _, ok := p.Template.Match(wanted); ok {
					return d, p, wanted, nil, nil
				}
			}
		}
	}
	all := make([]Dataset, len(tree))
	for i := range tree {
		all[i] = tree[i].Dataset
	}
	return nil, nil, "", nil, Unknown(all, id)
}

// Fetch reads one parameter, as [Archive] says.
func (a *AMDA) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	tree, err := a.datasets(ctx)
	if err != nil {
		return nil, err
	}
	d, p, name, notes, err := a.find(tree, id)
	if err != nil {
		return nil, err
	}
	id = JoinID("amda", d.ID, name)
	asked := *p
	asked.ID, asked.Name = id, name
	if start, stop, err = asked.window(start, stop); err != nil {
		return nil, err
	}
	if limit := d.restricted; limit != tt.Fill && stop > limit && a.opts.User == "" {
		if start >= limit {
			return nil, &RestrictedError{ID: id, From: limit}
		}
		notes = append(notes, fmt.Sprintf("data from %v on need an account of AMDA and are left out", limit))
		stop = limit
	}
	s, err := a.parameter(ctx, &asked, chunkJob{
		start: start, stop: stop, step: amdaStep, modified: d.Modified,
		get: func(ctx context.Context, start, stop tt.Time) (*series.Series, error) {
			return a.chunk(ctx, name, id, start, stop)
		},
	})
	if err != nil {
		return nil, err
	}
	return a.dress(s, d, p, name, notes), nil
}

// dress adds what the inventory knows better than the file.
func (a *AMDA) dress(s *series.Series, d *amdaDataset, p *Parameter, name string, notes []string) *series.Series {
	s.Name, s.Description = name, firstOf(p.Description, s.Description)
	s.Units = firstOf(p.Units, s.Units)
	if len(p.Columns) == s.Width() {
		s.Columns = p.Columns
	}
	m := &s.Meta
	m.Dataset, m.DatasetTitle, m.Mission, m.Instrument = d.ID, d.Title, d.Mission, d.Instrument
	m.Frame, m.Role, m.Source = firstOf(p.Frame, m.Frame), "data", "AMDA"
	m.SPASE, m.Acknowledgement, m.ResourceURL = d.SPASE, d.Acknowledgement, d.ResourceURL
	m.Notes = append(m.Notes, notes...)
	return s
}

// RestrictedError says that data need an account.
type RestrictedError struct {
	ID   string
	From tt.Time // data from then on
}

func (e *RestrictedError) Error() string {
	return fmt.Sprintf("read %s: data from %v on need an account of the archive; give its user and password, or an earlier window", e.ID, e.From)
}

// amdaAnswer is what the scripts answer.
type amdaAnswer struct {
	Success bool            `json:"success"`
	Status  string          `json:"status"`
	ID      string          `json:"id"`
	Message string          `json:"message"`
	Error   string          `json:"error"`
	URLs    json.RawMessage `json:"dataFileURLs"`
}

// address is the first of the addresses, of which there is one.
func (r *amdaAnswer) address() string {
	var one string
	if json.Unmarshal(r.URLs, &one) == nil {
		return one
	}
	var all []string
	if json.Unmarshal(r.URLs, &all) == nil && len(all) > 0 {
		return all[0]
	}
	return ""
}

// chunk asks for the data of one piece.
func (a *AMDA) chunk(ctx context.Context, name, id string, start, stop tt.Time) (*series.Series, error) {
	token, _, err := a.get(ctx, "/auth.php", nil)
	if err != nil {
		return nil, err
	}
	query := a.account(url.Values{
		"startTime": {start.Format(0)}, "stopTime": {stop.Add(time.Second - 1).Format(0)}, "parameterID": {name},
		"outputFormat": {"CDF_ISTP"}, "timeFormat": {"UNIXTIME"}, "token": {strings.TrimSpace(string(token))},
	})
	address, err := a.result(ctx, "/getParameter.php", query)
	if err != nil || address == "" {
		return nil, err
	}
	data, _, err := a.get(ctx, address, nil)
	if err != nil {
		if status, ok := errors.AsType[*polite.StatusError](err); ok && status.Code == 404 {
			return nil, fmt.Errorf("the result was made and is gone again; ask once more: %w", err)
		}
		return nil, err
	}
	if len(data) == 0 {
		return nil, nil
	}
	s, err := cdfSeries("the CDF from AMDA", data, name, id, start, stop)
	if errors.Is(err, errUnknown) {
		return nil, fmt.Errorf("the CDF that came has no variable %q", name)
	}
	return s, err
}

// result asks for a file and waits until it is there. An empty address says that
// there are no data.
func (a *AMDA) result(ctx context.Context, script string, query url.Values) (string, error) {
	answer, err := a.ask(ctx, script, query)
	if err != nil {
		return "", err
	}
	sleep := a.opts.Sleep
	if sleep == nil {
		sleep = polite.Sleep
	}
	for n := 0; answer.Success && answer.address() == ""; n++ {
		if answer.ID == "" {
			return "", nil
		}
		if n == amdaPatient {
			return "", errors.New("the result was not ready after half an hour; try again later, or a shorter window")
		}
		if tell, ok := ctx.Value(waitingKey{}).(func(string)); ok {
			tell("AMDA is preparing the data")
		}
		if err := sleep(ctx, amdaPoll); err != nil {
			return "", err
		}
		if answer, err = a.ask(ctx, "/getStatus.php", url.Values{"id": {answer.ID}}); err != nil {
			return "", err
		}
	}
	if answer.Success {
		return answer.address(), nil
	}
	said := firstOf(answer.Message, answer.Error)
	if lower := strings.ToLower(said); strings.Contains(lower, "no data") || strings.Contains(lower, "empty") {
		return "", nil
	}
	return "", fmt.Errorf("AMDA refuses: %s", firstOf(lines(said), "it does not say why"))
}

func (a *AMDA) ask(ctx context.Context, script string, query url.Values) (*amdaAnswer, error) {
	body, _, err := a.get(ctx, script+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	answer := new(amdaAnswer)
	if err := json.Unmarshal(body, answer); err != nil {
		return nil, fmt.Errorf("%s did not answer with JSON", strings.TrimPrefix(script, "/"))
	}
	return answer, nil
}
