package main

import (
	"encoding/json"
	"math"

	"github.com/helios-go/helios/llm/llmtest"
)

// causes is the catalogue.
var causes = map[int]string{1824: "corona hole", 7321: "coronal mass ejection"}

// year is a quiet year with two storms, of the shape that storms have: hours down,
// days back.
func year() Year {
	dst := make([]float64, 8760)
	for hour := range dst {
		dst[hour] = -12 + 6*math.Sin(float64(hour)/37)
		for minimum, depth := range map[int]float64{1824: 140, 7321: 310} {
			switch after := float64(hour - minimum); {
			case after >= 0:
				dst[hour] -= depth * math.Exp(-after/30)
			case after > -8:
				dst[hour] -= depth * (1 + after/8)
			}
		}
	}
	return Year{Start: "2003-01-01T00:00:00Z", Dst: dst}
}

// model is a stand-in that writes what a model would: it looks first, makes a
// mistake, corrects it, and answers. Any llm.Model stands here.
func model() *llmtest.Model {
	return llmtest.New(
		cell("[dst.length, min(dst), dst.slice(0, 3)]"),
		cell("const deep = dst.map((v, i) => i).filter(i => dst[i] < -100);\ncatalogue(deep[0])"),
		cell("const hours = deep.filter(i => dst[i] <= min(dst.slice(i - 48, i + 48)));\nconst strongest = hours.reduce((a, b) => dst[a] < dst[b] ? a : b);\n[hours, catalogue(strongest)]"),
		llmtest.Text(`{"hours": [1824, 7321], "cause": "coronal mass ejection"}`),
	)
}

func cell(code string) llmtest.Turn {
	args, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		panic(err) // a string always encodes
	}
	return llmtest.Call("Execute", string(args))
}
