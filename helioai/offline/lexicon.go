package offline

import "strings"

// stat is a statistic of one column.
type stat string

// The statistics. A percentile is a stat like "p95".
const (
	statMean     stat = "mean"
	statMedian   stat = "median"
	statStd      stat = "std"
	statVariance stat = "variance"
	statMin      stat = "min"
	statMax      stat = "max"
)

func (s stat) extremum() bool { return s == statMin || s == statMax }

// A meaning is what one word or phrase says.
type meaning struct {
	item item
	// implies is the quantity that "fastest" or "hotter" speaks of when none
	// is named.
	implies quantityKind
}

// phrases maps words and phrases in lower case, without accents, to what they
// mean. The longest phrase wins. Hyphens count as blanks.
var phrases = buildPhrases()

func buildPhrases() map[string]meaning {
	m := map[string]meaning{}
	add := func(it item, implies quantityKind, texts string) {
		for t := range strings.SplitSeq(texts, "|") {
			m[t] = meaning{it, implies}
		}
	}
	stats := func(implies quantityKind, texts string, s ...stat) {
		add(item{kind: statItem, stats: s}, implies, texts)
	}
	stats("", "mean|average|averaged|avg|mean value|average value|averages|means|moyenne|moyennes|moyen|en moyenne|on average|typically on average|mittelwert", statMean)
	stats("", "median|medians|mediane|median value|mediane", statMedian)
	stats("", "standard deviation|std|stdev|stddev|std dev|std deviation|standard dev|sigma|ecart type|ecart typ", statStd)
	stats("", "variance", statVariance)
	sized := func(implies quantityKind, texts string, s stat) {
		add(item{kind: statItem, stats: []stat{s}, sized: true}, implies, texts)
	}
	stats("", "minimum|min|minima|minimal|minimale|minimums|lowest|smallest|how low|minimum value|min value|lowest value|smallest value|"+
		"most negative|plus bas|plus basse|plus petit|plus petite|mini|low point", statMin)
	stats("", "maximum|max|maxima|maximal|maximale|maximums|highest|how high|largest|biggest|greatest|peak|peaks|peaked|top|maximum value|max value|highest value|peak value|largest value|"+
		"most positive|plus eleve|plus elevee|plus haut|plus haute|plus grand|plus grande|maxi|high point", statMax)
	sized(kindSpeed, "slowest|plus lent|plus lente", statMin)
	sized(kindSpeed, "fastest|plus rapide", statMax)
	sized("", "weakest|plus faible|plus faibles", statMin)
	sized("", "strongest|plus fort|plus forte|plus intense|most intense", statMax)
	stats(kindTemperature, "coldest|coolest|plus froid|plus froide", statMin)
	stats(kindTemperature, "hottest|warmest|plus chaud|plus chaude", statMax)
	stats(kindDensity, "densest|plus dense", statMax)
	stats("", "range|extremes|extrema|extreme values|range of values|minmax|min / max|lowest and highest|smallest and largest", statMin, statMax)
	add(item{kind: statItem, stats: []stat{statMin}, component: "z"}, kindField, "most southward|southwardmost|deepest southward|strongest southward|largest southward|maximum southward|max southward|peak southward")
	add(item{kind: statItem, stats: []stat{statMax}, component: "z"}, kindField, "most northward|northwardmost|strongest northward|largest northward|maximum northward|max northward|peak northward")

	add(item{kind: whenItem}, "", "when|quand|what time|which time|at what time|at which time|what times|at what times|what hour|which hour|in which hour|at what hour|in what hour|what day|which day|on what day|on which day|what date|which date|on what date|"+
		"what moment|when each|when did each|time of|the time of|times of|date of|its time|the time|timestamp|time stamp|a quelle heure|quelle heure|quel jour|a quel moment|a quelle date|quelle date")
	add(item{kind: whenItem, which: "first"}, "", "when first|first time|the first time|premiere fois|earliest time|first moment|earliest|when did it first")
	add(item{kind: whenItem, which: "last"}, "", "when last|last time|the last time|derniere fois|latest time|last moment|latest")

	add(item{kind: orderItem, which: "first"}, "", "first|for the first time|premier|premiere|initially")
	add(item{kind: orderItem, which: "last"}, "", "last|for the last time|dernier|derniere|finally")

	add(item{kind: measureItem, measure: measureOften}, "", "how often|how frequently|a quelle frequence|mostly|usually|often|most of the time|always|constantly|toujours")
	add(item{kind: measureItem, measure: measureFraction}, "", "what fraction|which fraction|fraction|what percentage|percentage|percent|what percent|what share|share|proportion|what proportion|"+
		"what part|portion|quelle fraction|pourcentage|quel pourcentage|quelle proportion|quelle part|pour cent|fraction of the time|fraction of time|percentage of the time|percentage of time|percent of the time|% of the time|percent of time|"+
		"share of the time|share of time|proportion of the time|proportion of time|part of the time|pourcentage du temps|fraction du temps|what % of the time|what % of time|what %|%|how much of the time|how much time|how much data|how much of the data|how much")
	add(item{kind: measureItem, measure: measureDuration}, "", "how long|for how long|combien de temps|pendant combien de temps|how much time in total|total time|total duration|duration")
	add(item{kind: measureItem, measure: measureTimes}, "", "how many times|combien de fois|number of times")
	add(item{kind: measureItem, measure: measureCount, unit: ""}, "", "how many|number of|the number of|count|count of|count the|combien|combien de|nombre de|le nombre de")
	for _, thing := range []string{"samples", "sample", "points", "data points", "records", "measurements", "values", "readings", "observations", "entries", "data", "echantillons", "mesures", "valeurs", "rows", "points de mesure"} {
		for _, how := range []string{"how many", "number of", "count", "count of", "count the", "combien de", "nombre de"} {
			add(item{kind: measureItem, measure: measureCount, unit: "samples"}, "", how+" "+thing)
		}
	}
	for unit, things := range map[string]string{"h": "hours|hour|heures|hourly samples|hourly values|hourly records", "min": "minutes", "s": "seconds"} {
		for thing := range strings.SplitSeq(things, "|") {
			for _, how := range []string{"how many", "for how many", "number of", "the number of", "count", "count of", "count the", "combien d", "combien de", "combien", "nombre d", "nombre de", "nombre", "pendant combien d", "pendant combien"} {
				add(item{kind: measureItem, measure: measureDuration, unit: unit}, "", how+" "+thing)
			}
		}
	}
	add(item{kind: missingItem}, "", "missing|absent|lacking|nan|nans|unavailable|not available|not measured|not recorded|missing data|missing samples|missing values|data missing|missing points|missing records|missing hours|"+
		"no data|no values|no measurements|no value|no measurement|no reading|no readings|without data|without values|without a value|without measurement|without a measurement|without measurements|no valid data|no valid values|no valid|fill values|fill value|fill|fills|filled|invalid|invalid values|invalid samples|"+
		"manquant|manquante|manquants|manquantes|donnees manquantes|valeurs manquantes|pas de donnees|sans donnees|blank|blanks|empty")
	add(item{kind: gapItem}, "", "gap|gaps|data gap|data gaps|time gaps|gaps in time|trous|lacunes")
	add(item{kind: plotItem}, "", "plot|plots|plotted|graph|draw|chart|figure|figures|display|visualise|visualize|trace|tracer|graphique|courbe|picture|a plot of|a figure of|a graph of|time series plot|make a plot of|dessine|affiche")
	add(item{kind: valueItem}, "", "how hot was it|how fast was it|how strong was it|how dense was it|how large was it|how big was it|how high was it|how low was it|how much was it|what was it|what was its value|what is its value|how strong|how fast|how hot|how dense|how large|how big|what value|which value|a combien")
	add(item{kind: questionItem}, "", "what was|what is|what are|what were|what|how was|quel est|quelle est|quelle etait|quel etait")
	add(item{kind: contextItem}, "", "at that time|at this time|at that moment|at the time|at the same time|at that hour|that day|that hour|a ce moment|a ce moment la|then what")
	add(item{kind: emptyItem}, "", "what about|how about|is there|are there|was there|were there|there is|there are|there was|there were|in there|out there|is there any|"+
		"over time|versus time|vs time|against time|with time|as a function of time|time series|timeseries|time series of|en fonction du temps|au cours du temps|over the time range|in total|au total|all the time")
	add(item{kind: pronounItem}, "", "it|its|they|their|them|that value|this value|il|elle|sa|son|ses")
	add(item{kind: separatorItem}, "", "and|,|;|?|.|:|et|also|as well as|plus|&|then|!|ainsi que|along with|together with")
	return m
}

// fillers carry no meaning of their own: without them the question asks the
// same. A word belongs here only if that is so wherever it may stand.
var fillers = wordSet(`a an the of for in on at to from by with is are was were be been being do does did has have had can could would should shall please
me my i we us our you your tell give show find get compute calculate determine report need want wanted know like say state return list which who how that this these those
so just now hi hello hey thanks thank ok okay kindly quickly exactly precisely roughly approximately about ever any some both very actual actually really
value values data sample samples reading readings measurement measurements measured measure observed observation observations recorded detected seen see record records point points
reached reach attained attain hit occurred occur occurs occurring happen happened happens took take takes place over during within throughout time times period interval file dataset satellite spacecraft probe
solar wind interplanetary space quantity parameter variable level levels using used according based it's whether if go goes went going gets got become became stay stays stayed remain remains remained lie lies lay stand stood
hour hours day month year full whole entire entirety complete all overall global ut utc gmt universal z units unit expressed converted convert
look out up into as let lets help could one i'm
le la les l un une des du de d au aux en dans sur par est sont etait a ont ete quel quelle quels quelles que qui ce cette ces il y ete pour avec merci s'il vous plait donne donnez moi nous est-ce
quoi montre montrez calcule calculez trouve trouvez temps valeur valeurs donnees mesure mesuree mesures jour journee mois heures heure fichier periode total totale vent solaire solaires
( ) [ ] " ' ... t mission instrument instruments sensor sensors inclusive included system coord coordinate coordinates frame cartesian`)

// beyond holds words that ask for what the planner cannot do, with what it is.
var beyond = wordReasons(map[string]string{
	"a comparison":                        "compare compared comparison versus vs than difference differ differs different greater higher larger lower bigger smaller stronger weaker same similar agree agreement more less fewer between comparer compare plus moins que",
	"a relation between quantities":       "correlate correlates correlated correlation relation relationship related depend depends dependence regression ratio proportional scatter lag delay covariance coherence coupled anticorrelated linked",
	"a spectrum or a wave analysis":       "spectrum spectra spectral psd fft fourier wavelet power frequency frequencies periodicity periodic oscillation oscillations wave waves turbulence turbulent cascade helicity",
	"a derivative, an integral or a fit":  "derivative gradient slope trend trends rate integral integrate integrated cumulative fit fitted detrend change changes changed variation vary varies increase increased decrease decreased jump jumps jumped drop drops dropped rise rises rose fall falls fell dip dips climb climbed",
	"averages over sub-intervals":         "each every per hourly daily weekly monthly running moving rolling smooth smoothed smoothing resample resampled bin binned binning histogram distribution interpolate interpolated filter filtered grouped",
	"a prediction or an explanation":      "predict prediction forecast tomorrow future why because explain cause causes caused reason interpretation interpret expect likely probably pourquoi expliquer",
	"finding events":                      "storm storms cme cmes icme icmes flare flares reconnection rope ropes event events substorm substorms sheet sheets crossing crossings crossed cross discontinuity discontinuities shock shocks cloud cloud's ejecta stream streams sector boundary longest shortest consecutive uninterrupted streak",
	"a negation":                          "not non never no none neither nor without except excluding exclude ignoring ignore unless cannot ne pas sans jamais sauf outside",
	"a choice between alternatives":       "or either ou",
	"a condition on another quantity":     "while whenever where given conditional conditioned provided lorsque quand",
	"arithmetic":                          "sum product times plus minus squared square root absolute normalized normalised divided multiplied subtract added log logarithm logarithmic relative weighted rms",
	"another coordinate frame":            "rotate rotated transform transformed transformation",
	"a magnetospheric model or an index":  "magnetopause bowshock dst kp ae ap symh sym-h sunspot f10 magnetosheath magnetosphere",
	"a source that is not among the data": "literature paper papers published amda cdaweb internet download online",
})

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

func wordReasons(lists map[string]string) map[string]string {
	reasons := map[string]string{}
	for reason, words := range lists {
		for w := range strings.FieldsSeq(words) {
			if old, ok := reasons[w]; !ok || reason < old { // one order, whatever the map's
				reasons[w] = reason
			}
		}
	}
	return reasons
}
