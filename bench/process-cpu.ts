import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** CPU of a process alone. Linux only; NaN elsewhere. */
export function ownCpu(pid: number): number {
  try {
    return readStat(pid).ownTicks / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/** CPU of a process and its children, including those that have exited. Linux only; NaN elsewhere. */
export function treeCpu(pid: number): number {
  try {
    const { ticks } = readStat(pid);
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          return [readStat(Number(name))];
        } catch {
          return [];
        }
      })
      .filter((stat) => stat.parent === pid);
    return (ticks + children.reduce((sum, child) => sum + child.ticks, 0)) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

function readStat(pid: number): { parent: number; ticks: number; ownTicks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which can contain spaces.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  const ownTicks = utime + stime;
  return { parent: fields[1] ?? 0, ticks: ownTicks + cutime + cstime, ownTicks };
}
