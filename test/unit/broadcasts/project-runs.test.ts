import { enterProject, type ProjectRun } from '../../../src/domains/broadcasts/project-runs';

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

test('the claims of many jobs of a project through one bot are as frequent as those of one', () => {
  const one = enter('a');
  expect(one.pauseMs()).toBe(100);
  const [other, many] = [enter('b'), Array.from({ length: 9 }, () => enter('a'))];
  for (const run of [one, ...many]) expect(run.pauseMs()).toBe(1_000);
  expect(other.pauseMs()).toBe(100);
  for (const run of [one, other, ...many]) run.leave();
});
