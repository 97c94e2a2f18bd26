import random

class SqlRowsEnv:
    """Answer queries on a small table as a database would: count, sum or largest, with one condition."""
    def reset(self, seed=None):
        r = random.Random(seed)
        self.table = [dict(city=r.choice(["Oslo", "Rome", "Lima"]), year=r.randint(2015, 2020), sales=r.randint(10, 99)) for _ in range(8)]
        self.queries = [(r.choice(["COUNT(*)", "SUM(sales)", "MAX(sales)"]), r.choice(["year", "sales"]),
                         r.choice("<>"), r) for _ in range(4)]
        self.queries = [(f, c, o, r.randint(2016, 2019) if c == "year" else r.randint(30, 70)) for f, c, o, r in self.queries]
        dump = "\n".join("{city} {year} {sales}".format(**row) for row in self.table)
        return f"city year sales\n{dump}\n{self.query()}", {}
    def query(self):
        f, column, op, bound = self.queries[0]
        return f"SELECT {f} FROM t WHERE {column} {op} {bound};"
    def solution(self):
        f, column, op, bound = self.queries[0]
        rows = [x["sales"] for x in self.table if (x[column] < bound) == (op == "<") and x[column] != bound]
        if f[0] == "C":
            return str(len(rows))
        return str((sum if f[0] == "S" else max)(rows)) if rows else "NULL"
    def step(self, action):
        if action[7:-1].strip() != self.solution():
            return "The report is wrong.", 0.0, True, False, {}
        del self.queries[0]
        return (self.query(), 0.2, False, False, {}) if self.queries else ("Committed.", 1.0, True, False, {})
