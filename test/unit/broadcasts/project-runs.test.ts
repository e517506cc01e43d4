import { enterProject, type ProjectRun } from '../../../src/broadcasts/project-runs';

const enter = (project: string): ProjectRun => {
  const run = enterProject(project);
  if (!run) throw new Error('refused');
  return run;
};

test('a project gets twenty pages at once and leaves the others of the process to other projects', () => {
  const runs = Array.from({ length: 20 }, () => enter('a'));
  expect(enterProject('a')).toBeNull();
  enter('b').leave();
  // The first page that ends gives way to the job that was refused.
  expect(runs.map((run) => run.leave())).toEqual([true, ...Array.from({ length: 19 }, () => false)]);
  enter('a').leave();
});

test('the claims of many jobs of a project through one bot are as frequent as those of one', async () => {
  const timed = async (jobs: ProjectRun[], bot: string) => {
    const began = performance.now();
    await Promise.all(jobs.map((job) => job.turn(bot)));
    return performance.now() - began;
  };
  const [one, other] = [enter('a'), enter('b')];
  const many = Array.from({ length: 10 }, () => enter('a'));
  const [first, all, elsewhere, another] = await Promise.all([
    timed([one], 'telegram'),
    timed(many, 'telegram'),
    timed([one], 'max'),
    timed([other], 'telegram'),
  ]);
  for (const short of [first, elsewhere, another]) expect(short).toBeLessThan(all / 5);
  for (const run of [one, other, ...many]) run.leave();
});
