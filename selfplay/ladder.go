package selfplay

import "spade"

// ladderDraws bounds how often an environment that a cycle holds already is drawn again.
const ladderDraws = 100

// ladderSlots draws n different environments of the ladder, each of a horizon that is uniform over the arm's range;
// fewer, if the library has no more of a horizon.
func (l *Loop) ladderSlots(number, n int) []*slot {
	var slots []*slot
	taken := map[string]bool{}
	for i := range n {
		r := spade.Stream(l.Config.Seed, number, i, "ladder")
		horizon := l.arm.From + r.IntN(l.arm.To-l.arm.From+1)
		env := l.Ladder(r, horizon)
		for range ladderDraws {
			if taken[env.ID] {
				env = l.Ladder(r, horizon)
			}
		}
		if taken[env.ID] {
			continue
		}
		taken[env.ID] = true
		env.Cycle, env.Slot = number, len(slots)
		slots = append(slots, &slot{number: len(slots), made: true, force: &inForce{Env: env, Packed: true, Playable: true}})
	}
	return slots
}
