import random

class FilePermissionsEnv:
    """Give the chmod number that turns the shown permissions of a file into the wanted ones."""
    def reset(self, seed=None):
        r = random.Random(seed)
        self.bits = [r.randrange(8) for _ in range(3)]
        wishes = []
        for who, bits in zip(["owner", "group", "others"], self.bits):
            can = [verb for k, verb in ((4, "read"), (2, "write"), (1, "run")) if bits & k]
            wishes.append(f"{who} may {' and '.join(can) or 'do nothing'}")
        r.shuffle(wishes)
        return "After your chmod: " + "; ".join(wishes) + ". Three digits?", {}
    def solution(self):
        return "".join(map(str, self.bits))
    def step(self, action):
        mode = action[7:-1].strip()
        if mode.zfill(3) == self.solution():
            return "-" + "".join(c if int(d) & b else "-" for d in mode.zfill(3) for c, b in zip("rwx", (4, 2, 1))), 1.0, True, False, {}
        return "chmod: denied", 0.0, True, False, {}
