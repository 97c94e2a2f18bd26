package library

// The ways and hands that answers are drawn from where they are no words of the theme.
const (
	ways  = "west east"
	winds = "north east south west"
	hands = "rock paper blade"
)

var mechanics = []mechanic{
	{
		name: "table", opcode: "table", sizes: []int{0}, minWords: 2, maxWords: 5,
		rules: []rule{{name: Plain, python: "s.v[i]"}, {name: "prior", python: "s.v[i-1]"},
			{name: "later", python: "s.v[i+1-len(s.v)]"}, heldOut(rule{name: "skip", python: "s.v[i+2-len(s.v)]"})},
		setup:   "  s.v=\"<words>\".split();r.shuffle(s.v)\n",
		opening: `" ".join(f"{i} {y}" for i,y in enumerate(s.v))`,
		ask:     "  i=s.r.randrange(len(s.v));s.c=<rule>\n  return f\" ask {i}\"\n",
		begin:   beginTable, slip: slipWord,
	},
	{
		name: "next", opcode: "ring", sizes: []int{5, 6, 7, 8}, largeSize: 13, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "s.y+s.d"}, {name: "prior", python: "s.y-s.d"}, {name: "skip", python: "s.y+s.d*2"},
			ten("s.y+s.d"), heldOut(more("s.y+s.d"))},
		setup: "  s.m=<size>;s.y=r.randrange(s.m);s.d=r.randrange(1,4)\n", opening: `f"{s.m} by {s.d} at {s.y}"`,
		ask:   "  s.y=(<rule>)%s.m;s.c=str(s.y<out>)\n  return \" after\"\n",
		begin: beginNext, slip: slipNear,
	},
	{
		name: "sum", opcode: "mod", sizes: []int{5, 6, 8, 10}, largeSize: 15, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "s.y+x"}, {name: "minus", python: "s.y-x"}, more("s.y+x"), twice("s.y+x"), ten("s.y+x")},
		setup: "  s.m=<size>;s.y=r.randrange(s.m)\n", opening: `f"{s.m} at {s.y}"`,
		ask:   "  x=s.r.randrange(1,4);s.y=(<rule>)%s.m;s.c=str(s.y<out>)\n  return f\" add {x}\"\n",
		begin: beginSum, slip: slipNear,
	},
	{
		name: "rank", opcode: "rank", sizes: []int{6, 8, 10}, largeSize: 18, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "max"}, {name: "small", python: "min"}, ten("max"), twice("max"), heldOut(more("max"))},
		ask:   "  x,y,z=s.r.sample(range(<size>),3);s.c=str(<rule>(x,y,z)<out>)\n  return f\" {x} {y} {z}\"\n",
		begin: beginRank, slip: slipOffered(3),
	},
	{
		name: "stack", opcode: "pile", sizes: []int{1, 2, 2, 3}, twistSizes: []int{3}, largeSize: 5,
		minWords: 3, maxWords: 5,
		rules: []rule{{name: Plain, python: "pop()"}, {name: "queue", python: "pop(0)"}, {name: "under", python: "pop(-min(2,len(s.k)))"}},
		setup: "  s.w=\"<words>\".split();s.k=[]\n",
		ask: "  if len(s.k)>s.r.randrange(<size>):s.c=s.k.<rule>;return \" pull\"\n" +
			"  s.c=s.r.choice(s.w);s.k.append(s.c)\n  return \" push \"+s.c\n",
		begin: beginStack, slip: slipWord,
	},
	{
		name: "alt", opcode: "flip", sizes: []int{6, 8, 10}, largeSize: 18, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "max,min"}, {name: "swap", python: "min,max"}, more("max,min"), ten("max,min"), heldOut(twice("max,min"))},
		ask:   "  x,y=s.r.sample(range(<size>),2);s.c=str((<rule>)[s.t%2](x,y)<out>)\n  return f\" {x} {y}\"\n",
		begin: beginAlt, slip: slipOffered(2),
	},
	{
		name: "walk", opcode: "track", sizes: []int{6, 8, 10}, largeSize: 18, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "s.g>s.x"}, {name: "swap", python: "s.g<s.x"}, {name: "low", python: "s.x<4"}},
		setup: "  s.n=<size>;s.x=s.g=r.randrange(s.n)\n",
		ask: "  while s.x==s.g:s.g=s.r.randrange(s.n)\n" +
			"  s.c=(\"west\",\"east\")[<rule>];o=f\" at {s.x} goal {s.g}\"\n" +
			"  s.x+=1 if s.g>s.x else -1\n  return o\n",
		begin: beginWalk, slip: slipAmong(ways),
	},
	{
		name: "lag", opcode: "lag", sizes: []int{0}, minWords: 3, maxWords: 5,
		rules: []rule{{name: Plain, python: "s.h[-2]"}, {name: "late", python: "s.h[-3]"}, {name: "now", python: "s.h[-1]"}},
		setup: "  s.w=\"<words>\".split();s.h=r.sample(s.w,2)\n", opening: `" ".join(s.h)`,
		ask:   "  s.h.append(s.r.choice(s.w));s.c=<rule>\n  return \" see \"+s.h[-1]\n",
		begin: beginLag, slip: slipWord,
	},
	{
		name: "tune", opcode: "dial", sizes: []int{8, 12, 16}, largeSize: 30, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "x+d"}, {name: "minus", python: "x-d"}, ten("x+d"), more("x+d")},
		ask:   "  x=s.r.randrange(4,<size>);d=s.r.randrange(1,4);s.c=str(<rule><out>)\n  return f\" {x} off {d}\"\n",
		begin: beginTune, slip: slipNear,
	},
	{
		name: "tank", opcode: "tank", sizes: []int{5, 7, 9}, largeSize: 15, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "i"}, {name: "swap", python: "1-i"}, twice("i"), ten("i"), heldOut(more("i"))},
		setup: "  s.m=<size>;s.y=r.randrange(s.m)\n", opening: `f"{s.m} at {s.y}"`,
		ask: "  x=s.r.randrange(1,4);i=s.r.randrange(2);s.y=(max(0,s.y-x),min(s.m,s.y+x))[<rule>]\n" +
			"  s.c=str(s.y<out>);return f\" {('out','in')[i]} {x}\"\n",
		begin: beginTank, slip: slipNear,
	},
	{
		name: "face", opcode: "face", sizes: []int{0}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "+i"}, {name: "swap", python: "-i"}, {name: "behind", python: "+i", out: "-2"}},
		setup: "  s.w=\"north east south west\".split();s.d=r.randrange(4)\n", opening: "s.w[s.d]",
		ask: "  i=s.r.randrange(1,4);s.d=(s.d<rule>)%4;s.c=s.w[s.d<out>]\n" +
			"  return (\" right\",\" back\",\" left\")[i-1]\n",
		begin: beginFace, slip: slipAmong(winds),
	},
	{
		name: "cell", opcode: "cell", sizes: []int{6, 8, 10}, largeSize: 18, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain}, more(""), ten(""), twice("")},
		setup: "  s.y=r.randrange(<size>)\n", opening: `f"{s.y}"`,
		ask: "  i=s.r.randrange(3);x=s.r.randrange(1,4);s.y=(s.r.randrange(<size>),s.y+x,s.y)[i];s.c=str(s.y<out>)\n" +
			"  return (f\" set {s.y}\",f\" add {x}\",\" get\")[i]\n",
		begin: beginCell, slip: slipNear,
	},
	{
		name: "bounce", opcode: "bounce", sizes: []int{3, 4, 6, 8}, largeSize: 13, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain}, more(""), twice(""), heldOut(ten(""))},
		setup: "  s.m=<size>;s.x=r.randrange(1,s.m);s.d=r.choice((-1,1))\n", opening: `f"{s.m} at {s.x} {('down','up')[s.d>0]}"`,
		ask:   "  s.x+=s.d;s.d*=1-2*(s.x in(0,s.m));s.c=str(s.x<out>)\n  return \" go\"\n",
		begin: beginBounce, slip: slipNear,
	},
	{
		name: "duel", opcode: "duel", sizes: []int{0}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "i-2"}, {name: "lose", python: "i-1"}, {name: "same", python: "i"}},
		setup: "  s.w=\"rock paper blade\".split()\n",
		ask:   "  i=s.r.randrange(3);s.c=s.w[<rule>]\n  return \" \"+s.w[i]\n",
		begin: beginDuel, slip: slipAmong(hands),
	},
	{
		name: "wheel", opcode: "wheel", sizes: []int{5, 6, 8, 10}, largeSize: 15, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "d"}, {name: "swap", python: "-d"}, {name: "skip", python: "d*2"}, ten("d"), heldOut(twice("d"))},
		setup: "  s.m=<size>;s.y=r.randrange(s.m)\n", opening: `f"{s.m} at {s.y}"`,
		ask: "  x=s.r.randrange(1,4);d=s.r.choice((-x,x));s.y=(s.y+<rule>)%s.m;s.c=str(s.y<out>)\n" +
			"  return (f\" back {x}\",f\" ahead {x}\")[d>0]\n",
		begin: beginWheel, slip: slipNear,
	},
	{
		name: "gap", opcode: "gap", sizes: []int{6, 8, 10}, largeSize: 18, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "abs(s.x-y)"}, {name: "small", python: "min(s.x,y)"}, more("abs(s.x-y)"), twice("abs(s.x-y)"), heldOut(ten("abs(s.x-y)"))},
		setup: "  s.x=r.randrange(<size>)\n", opening: `f"{s.x}"`,
		ask:   "  y=s.x;s.x=s.r.randrange(<size>);s.c=str(<rule><out>)\n  return f\" to {s.x}\"\n",
		begin: beginGap, slip: slipNear,
	},
}
