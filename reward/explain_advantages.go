package reward

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"spade"
)

// looseFloat is a number that may also be written as a string ("nan", "-inf") or null, which reads as NaN.
type looseFloat float64

func (f *looseFloat) UnmarshalJSON(raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case float64:
		*f = looseFloat(v)
	case string:
		parsed, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", v)
		}
		*f = looseFloat(parsed)
	case nil:
		*f = looseFloat(math.NaN())
	default:
		return fmt.Errorf("%s is not a number", raw)
	}
	return nil
}

func floats(loose []looseFloat) []float64 {
	xs := make([]float64, len(loose))
	for i, x := range loose {
		xs[i] = float64(x)
	}
	return xs
}

// ExplainAdvantages normalises groups and aggregates losses. What it answers depends on the key that the input has:
//
//	{"groups": {name: [rewards]}}                 → {"advantages": {name: [..]}, "zero_variance_groups": [names]}
//	{"rewards": [..]}                             → {"population_std": [..], "sample_std": .., "centred_only": .., "leave_one_out": ..}
//	{"token_loss": [[..]], "mask": [[..]], "max_len": n} → {"token_mean": x, "seq_mean_token_mean": x, "seq_mean_token_sum_norm": x}
//	{"rows": [{"reward", "status"}], "exclude": [statuses]} → {"advantages": [..], "excluded": [indices]}
//
// Advantages are by PopulationStd where no variant is named. Rewards that are not finite are always excluded.
// Errors are the user's.
func ExplainAdvantages(input []byte) ([]byte, error) {
	var in struct {
		Groups    map[string][]looseFloat `json:"groups"`
		Rewards   []looseFloat            `json:"rewards"`
		TokenLoss [][]float64             `json:"token_loss"`
		Mask      [][]int                 `json:"mask"`
		MaxLen    int                     `json:"max_len"`
		Rows      []statusRow             `json:"rows"`
		Exclude   []string                `json:"exclude"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, unreadable(err)
	}
	switch {
	case in.Groups != nil:
		return answer(explainGroups(in.Groups))
	case in.Rewards != nil:
		return answer(explainVariants(floats(in.Rewards)))
	case in.TokenLoss != nil:
		means, err := explainAggregation(in.TokenLoss, in.Mask, in.MaxLen)
		if err != nil {
			return nil, spade.Errorf(spade.ByUser, "Give \"mask\" the shape of \"token_loss\".",
				"reading the losses: %w", err)
		}
		return answer(means)
	case in.Rows != nil:
		return answer(explainRows(in.Rows, in.Exclude))
	}
	return nil, spade.Errorf(spade.ByUser, "Give one of the keys groups, rewards, token_loss or rows.",
		"reading the input: nothing to normalise or aggregate")
}

type groupsAnswer struct {
	Advantages   map[string][]float64 `json:"advantages"`
	ZeroVariance []string             `json:"zero_variance_groups"`
}

func explainGroups(groups map[string][]looseFloat) groupsAnswer {
	out := groupsAnswer{Advantages: make(map[string][]float64), ZeroVariance: []string{}}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		advantages, flat := Advantages(PopulationStd, floats(groups[name]), nil)
		out.Advantages[name] = advantages
		if flat {
			out.ZeroVariance = append(out.ZeroVariance, name)
		}
	}
	return out
}

func explainVariants(rewards []float64) map[Normalisation][]float64 {
	out := make(map[Normalisation][]float64)
	for _, n := range []Normalisation{PopulationStd, SampleStd, CentredOnly, LeaveOneOut} {
		out[n], _ = Advantages(n, rewards, nil)
	}
	return out
}

func explainAggregation(losses [][]float64, marks [][]int, maxLen int) (map[Aggregation]float64, error) {
	if len(marks) != len(losses) {
		return nil, fmt.Errorf("%d sequences of losses, but %d of the mask", len(losses), len(marks))
	}
	longest := 0
	mask := make([][]bool, len(losses))
	for s, loss := range losses {
		if len(marks[s]) != len(loss) {
			return nil, fmt.Errorf("sequence %d has %d losses, but %d mask values", s, len(loss), len(marks[s]))
		}
		longest = max(longest, len(loss))
		mask[s] = make([]bool, len(loss))
		for t, m := range marks[s] {
			mask[s][t] = m != 0
		}
	}
	if maxLen == 0 {
		maxLen = longest
	}
	if maxLen < longest {
		return nil, fmt.Errorf("max_len is %d, but a sequence has %d tokens", maxLen, longest)
	}
	means := make(map[Aggregation]float64)
	for _, a := range []Aggregation{TokenMean, SeqMeanTokenMean, SeqMeanTokenSumNorm} {
		means[a] = Aggregate(a, losses, mask, maxLen)
	}
	return means, nil
}

type statusRow struct {
	Reward looseFloat `json:"reward"`
	Status string     `json:"status"`
}

type rowsAnswer struct {
	Advantages []float64 `json:"advantages"`
	Excluded   []int     `json:"excluded"`
}

func explainRows(rows []statusRow, exclude []string) rowsAnswer {
	out := rowsAnswer{Excluded: []int{}}
	rewards, excluded := make([]float64, len(rows)), make([]bool, len(rows))
	for i, row := range rows {
		rewards[i] = float64(row.Reward)
		excluded[i] = slices.Contains(exclude, row.Status) || !finite(rewards[i])
		if excluded[i] {
			out.Excluded = append(out.Excluded, i)
		}
	}
	out.Advantages, _ = Advantages(PopulationStd, rewards, excluded)
	return out
}
