package openai

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ceiling is the longest that a request waits before it is sent again. A server that asks for more gets no earlier
// attempt: the request is given up.
const ceiling = 120 * time.Second

// retryDelay reads how long a server asks to wait, in every form in which servers say it: milliseconds, seconds, a
// date, or the times at which its limits are lifted. It is noDelay where the server says nothing that makes sense.
// now is our clock; where the response carries a date, a date to wait for is compared with that, so that clocks need
// not agree.
func retryDelay(h http.Header, now time.Time) time.Duration {
	if d := number(h.Get("Retry-After-Ms"), time.Millisecond); d >= 0 {
		return d
	}
	if text := h.Get("Retry-After"); text != "" {
		return moment(text, h, now)
	}
	longest := noDelay
	for _, what := range []string{"Requests", "Tokens"} {
		if left := h.Get("X-Ratelimit-Remaining-" + what); left != "" && left != "0" {
			continue // this is not the limit that was hit
		}
		longest = max(longest, moment(h.Get("X-Ratelimit-Reset-"+what), h, now))
	}
	if longest >= 0 {
		return longest
	}
	for _, name := range []string{"X-Ratelimit-Reset", "Ratelimit-Reset"} {
		if d := moment(h.Get(name), h, now); d >= 0 {
			return d
		}
	}
	return noDelay
}

// moment reads seconds, a duration such as 6m0s, or a date.
func moment(text string, h http.Header, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 1e9 && seconds < 1e11 {
		return until(time.Unix(int64(seconds), 0), h, now) // seconds since 1970
	}
	if d := number(text, time.Second); d >= 0 {
		return d
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d
	}
	if date, err := http.ParseTime(text); err == nil {
		return until(date, h, now)
	}
	if date, err := time.Parse(time.RFC3339, text); err == nil {
		return until(date, h, now)
	}
	return noDelay
}

// until is the time from the server's now to date, 0 for a date that has passed.
func until(date time.Time, h http.Header, now time.Time) time.Duration {
	if said, err := http.ParseTime(h.Get("Date")); err == nil {
		now = said
	}
	return max(0, date.Sub(now))
}

// number reads a number of units that is finite and not negative.
func number(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n >= 0) || n*float64(unit) > math.MaxInt64/2 {
		return noDelay
	}
	return time.Duration(n * float64(unit))
}
