package admit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The kinds of actions that an observation offers to a player who does not understand it.
const (
	optionOffers = "options" // listed for choice: in a box, as lettered lines, as yes or no
	numberOffers = "numbers" // in a range that is given, else those shown
	wordOffers   = "words"   // those shown
)

var offerKinds = []string{optionOffers, numberOffers, wordOffers}

// mostOffers bounds what one observation offers of a kind, and offersWithin the bytes of it that are read for that.
const (
	mostOffers   = 64
	offersWithin = 4096
)

// offers returns the actions of one kind that observation offers, in the order in which they stand there, each once.
func offers(kind, observation string) []string {
	observation = observation[:min(len(observation), offersWithin)]
	var found []string
	switch kind {
	case optionOffers:
		found = listedOptions(observation)
	case numberOffers:
		if found = rangeOffered(observation); found == nil {
			found = numberPattern.FindAllString(observation, -1)
		}
	case wordOffers:
		found = wordPattern.FindAllString(observation, -1)
	}
	var distinct []string
	for _, action := range found {
		if action = strings.TrimSpace(action); action != "" && len(distinct) < mostOffers && !slices.Contains(distinct, action) {
			distinct = append(distinct, action)
		}
	}
	return distinct
}

var (
	boxPattern     = regexp.MustCompile(`\\boxed\{([^{}]*)\}`)
	bracketPattern = regexp.MustCompile(`[\[{(<]([^\[\]{}()<>]*[|/][^\[\]{}()<>]*)[\]})>]`)
	choicePattern  = regexp.MustCompile(`(?i)\b(?:choose|pick|options?|actions?|moves?|commands?|either|one of)(?:\s+(?:are|from|one|of))*\s*:?\s+([^.;\n]+)`)
	choiceCut      = regexp.MustCompile(`(?i)\s*(?:[|/,]|\bor\b|\band\b)\s*`)
	letterPattern  = regexp.MustCompile(`(?:^|[\s(])([A-H])[).:]\s`)
	rangePattern   = regexp.MustCompile(`(?i)(-?\d+)\s*(?:\.\.\.?|…|–|-|\bto\b|\band\b|\bthrough\b)\s*(-?\d+)`)
	truthPattern   = regexp.MustCompile(`(?i)\b(yes|no|true|false|heads|tails)\b`)
)

// listedOptions returns what observation lists for choice.
func listedOptions(observation string) []string {
	var options []string
	for _, m := range boxPattern.FindAllStringSubmatch(observation, -1) {
		if pieces := choiceCut.Split(m[1], -1); len(pieces) > 1 {
			options = append(options, pieces...)
		}
	}
	for _, m := range bracketPattern.FindAllStringSubmatch(observation, -1) {
		options = append(options, choiceCut.Split(m[1], -1)...)
	}
	for _, m := range choicePattern.FindAllStringSubmatch(observation, -1) {
		for _, piece := range choiceCut.Split(m[1], -1) {
			piece = strings.Trim(piece, " '\"`[](){}\\")
			if piece != "" && !strings.Contains(piece, " ") {
				options = append(options, piece)
			}
		}
	}
	for _, m := range letterPattern.FindAllStringSubmatch(observation, -1) {
		options = append(options, m[1])
	}
	return append(options, truthPattern.FindAllString(observation, -1)...)
}

// rangeOffered returns the whole numbers of the narrowest range that observation gives, nil if it gives none that is
// narrow enough to be tried.
func rangeOffered(observation string) []string {
	var narrowest []string
	for _, m := range rangePattern.FindAllStringSubmatch(observation, -1) {
		low, err1 := strconv.Atoi(m[1])
		high, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || high <= low || high-low >= mostOffers {
			continue
		}
		var numbers []string
		for n := low; n <= high; n++ {
			numbers = append(numbers, fmt.Sprint(n))
		}
		if narrowest == nil || len(numbers) < len(narrowest) {
			narrowest = numbers
		}
	}
	return narrowest
}
