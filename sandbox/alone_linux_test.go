package sandbox

import (
	"testing"
)

func TestAloneOpens(t *testing.T) {
	a, err := openAlone(t.Context(), &Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(a.describe())
}

func TestAloneWorkerOpens(t *testing.T) {
	a, err := openAlone(t.Context(), &Options{}, &testWorkers[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Log(a.describe())
}
