/**
 * Decides whether a history of transactions is one that snapshot isolation allows. Every transaction appends its own number
 * to lists and reads lists; a list therefore tells its writers in their order, and from that follow all dependencies.
 * Sources: Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations" (VLDB 2020), for lists;
 * Cerone and Gotsman, "Analysing Snapshot Isolation" (PODC 2016), for the criterion: (SO ∪ WR ∪ WW) ; RW? has no cycle.
 */
export interface HistoryTransaction {
  readonly id: number;
  readonly committed: boolean;
  /** Of one client, one after the other. */
  readonly client: number;
  readonly operations: readonly Operation[];
}

export type Operation =
  | { readonly kind: 'append'; readonly key: string }
  | { readonly kind: 'read'; readonly key: string; readonly list: readonly number[] };

export type Final = ReadonlyMap<string, readonly number[]>;

/** What is wrong, in words; empty: nothing. `final` is what the lists hold in the end. */
export function checkHistory(history: readonly HistoryTransaction[], final: Final): string[] {
  const committed = history.filter((transaction) => transaction.committed);
  const direct = [
    ...[...final].flatMap(([key, list]) => wrongFinal(key, list, history)),
    ...history.flatMap((transaction) => wrongReads(transaction, final)),
  ];
  // Dependencies mean something only where each read is a state that was.
  return direct.length > 0 ? direct : cycles(committed, final);
}

/** Lost updates show here: an append that was committed and is not in the list. */
function wrongFinal(key: string, list: readonly number[], history: readonly HistoryTransaction[]): string[] {
  const faults: string[] = [];
  if (new Set(list).size !== list.length) faults.push(`${key}: an append is there twice`);
  for (const { id, committed, operations } of history) {
    const appended = operations.some((operation) => operation.kind === 'append' && operation.key === key);
    if (committed && appended && !list.includes(id)) faults.push(`${key}: the append of ${id} was lost`);
    if (!committed && list.includes(id)) faults.push(`${key}: ${id} was rolled back and its append is there`);
  }
  return faults;
}

/** A read must be a beginning of the final list, its own append behind it once it made one; the same at every read. */
function wrongReads({ id, operations }: HistoryTransaction, final: Final): string[] {
  const faults: string[] = [];
  const seen = new Map<string, number>();
  const own = new Set<string>();
  for (const operation of operations) {
    const { key } = operation;
    if (operation.kind === 'append') {
      own.add(key);
      continue;
    }
    const others = operation.list.filter((writer) => writer !== id);
    const whole = final.get(key) ?? [];
    if (own.has(key) !== (operation.list.at(-1) === id)) faults.push(`${id} does not see its own append to ${key}`);
    if (others.some((writer, at) => whole[at] !== writer)) faults.push(`${id} read what was never committed in ${key}`);
    const before = seen.get(key);
    if (before !== undefined && before !== others.length) faults.push(`${id} read ${key} twice, differently`);
    seen.set(key, others.length);
  }
  return faults;
}

function cycles(committed: readonly HistoryTransaction[], final: Final): string[] {
  const depends = edges();
  const antiDepends = edges();
  const lastOfClient = new Map<number, number>();
  for (const { id, client } of committed) {
    const last = lastOfClient.get(client);
    if (last !== undefined) depends.add(last, id);
    lastOfClient.set(client, id);
  }
  for (const list of final.values()) for (let i = 1; i < list.length; i++) depends.add(list[i - 1]!, list[i]!);
  for (const { id, operations } of committed)
    for (const operation of operations) {
      if (operation.kind === 'append') continue;
      const others = operation.list.filter((writer) => writer !== id);
      const source = others.at(-1);
      if (source !== undefined) depends.add(source, id);
      const next = (final.get(operation.key) ?? [])[others.length];
      if (next !== undefined && next !== id) antiDepends.add(id, next);
    }
  const composed = edges();
  for (const [from, to] of depends.all()) {
    composed.add(from, to);
    for (const further of antiDepends.of(to)) composed.add(from, further);
  }
  const cycle = findCycle(composed);
  return cycle === null ? [] : [`a cycle that snapshot isolation forbids: ${cycle.join(' → ')}`];
}

function edges() {
  const targets = new Map<number, Set<number>>();
  const of = (from: number): ReadonlySet<number> => targets.get(from) ?? new Set();
  return {
    add(from: number, to: number): void {
      if (!targets.has(from)) targets.set(from, new Set());
      targets.get(from)!.add(to);
    },
    of,
    all: (): [number, number][] => [...targets].flatMap(([from, set]) => [...set].map((to): [number, number] => [from, to])), // biome-ignore format: one line
    sources: () => [...targets.keys()],
  };
}

/** Depth first, with a path of its own: recursion would end at some thousand transactions. */
function findCycle(graph: ReturnType<typeof edges>): number[] | null {
  const done = new Set<number>();
  for (const start of graph.sources()) {
    if (done.has(start)) continue;
    const path = [{ node: start, rest: [...graph.of(start)] }];
    const onPath = new Set([start]);
    while (path.length > 0) {
      const top = path.at(-1)!;
      const next = top.rest.pop();
      if (next === undefined) {
        path.pop();
        onPath.delete(top.node);
        done.add(top.node);
      } else if (onPath.has(next)) {
        return [...path.map(({ node }) => node).slice(path.findIndex(({ node }) => node === next)), next];
      } else if (!done.has(next)) {
        path.push({ node: next, rest: [...graph.of(next)] });
        onPath.add(next);
      }
    }
  }
  return null;
}
