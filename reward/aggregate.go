package reward

// Aggregation says how the losses of the trained tokens of a batch become one number. The set is closed. Every
// form is finite: a batch without a trained token comes to 0.
type Aggregation string

const (
	// TokenMean is the sum over all trained tokens divided by their number.
	TokenMean Aggregation = "token_mean"
	// SeqMeanTokenMean is the mean over sequences of each sequence's token mean; a sequence without a trained
	// token does not count.
	SeqMeanTokenMean Aggregation = "seq_mean_token_mean"
	// SeqMeanTokenSumNorm is the sum over all trained tokens divided by the number of sequences, including those
	// without a trained token, times the longest length that a sequence may have.
	SeqMeanTokenSumNorm Aggregation = "seq_mean_token_sum_norm"
)

// Aggregate combines losses[s][t], the loss of token t of sequence s, over the tokens where mask is true; mask has
// the shape of losses. maxLen is used by SeqMeanTokenSumNorm only.
func Aggregate(a Aggregation, losses [][]float64, mask [][]bool, maxLen int) float64 {
	var sum, tokens, means, trained float64
	for s, loss := range losses {
		var seqSum, seqTokens float64
		for t, l := range loss {
			if mask[s][t] {
				seqSum += l
				seqTokens++
			}
		}
		sum += seqSum
		tokens += seqTokens
		if seqTokens > 0 {
			means += seqSum / seqTokens
			trained++
		}
	}
	switch a {
	case SeqMeanTokenMean:
		return quotient(means, trained)
	case SeqMeanTokenSumNorm:
		return quotient(sum, float64(len(losses))*float64(maxLen))
	default:
		return quotient(sum, tokens)
	}
}

// quotient is 0 where nothing is divided by nothing.
func quotient(sum, count float64) float64 {
	if count == 0 {
		return 0
	}
	return sum / count
}
