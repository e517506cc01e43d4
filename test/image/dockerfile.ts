/** A stage of a Dockerfile: its name, where it begins, and its instructions in order. */
export interface Stage {
  name: string;
  from: string;
  steps: { instruction: string; value: string }[];
}

/** The stages of a Dockerfile without heredocs, with continued lines joined and comments left out. */
export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, instruction = '', value = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [from = '', , name = ''] = value.split(/\s+/);
      stages.push({ name, from, steps: [] });
    } else {
      stages.at(-1)?.steps.push({ instruction, value });
    }
  }
  return stages;
}
