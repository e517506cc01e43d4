import { appendFile, cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../src/base/lib/package-root';
import type { Invariant } from '../chaos/invariants';
import type { Load } from '../chaos/load';
import { runHerald } from '../support/npm-start';
import type { ClusterFixture } from './fixture';

const CALM_MS = 2_000;

/** Another build of this version: Temporal tells builds of workflows apart by the hash of their bundle. */
async function copyBuild(directory: string): Promise<{ cli: string; bundle: string }> {
  const root = path.join(directory, 'build');
  await mkdir(root);
  for (const name of ['dist', 'package.json']) {
    await cp(path.join(packageRoot, name), path.join(root, name), { recursive: true });
  }
  await mkdir(path.join(root, 'src', 'base', 'db'), { recursive: true });
  await cp(
    path.join(packageRoot, 'src', 'base', 'db', 'migrations'),
    path.join(root, 'src', 'base', 'db', 'migrations'),
    {
      recursive: true,
    },
  );
  await symlink(path.join(packageRoot, 'node_modules'), path.join(root, 'node_modules'));
  const bundle = path.join(root, 'dist', 'workflow-bundle.js');
  await appendFile(bundle, '\n// Another build.\n');
  return { cli: path.join(root, 'dist', 'src', 'cli.js'), bundle };
}

/**
 * Every process is restarted, one after another, under load: first those of Temporal, then those of Herald, which come back as
 * another build, so that two builds run side by side until the last one.
 */
export async function rollEachPart(
  fixture: ClusterFixture,
  { seen }: Pick<Load, 'seen'>,
  onProgress: (message: string) => void,
): Promise<Invariant[]> {
  const before = { ...seen.calls };
  const build = await copyBuild(fixture.directory);
  const replay = async () => {
    const { code, stdout, stderr } = await runHerald(
      ['workflows', 'replay', '--open', '--bundle', build.bundle],
      fixture.settings,
    );
    return { code, text: (stdout.trim().split('\n').at(-1) ?? '') || stderr.slice(-300) };
  };
  onProgress('replaying the open workflows with the other build');
  const replayedBefore = await replay();
  for (const part of fixture.temporal.parts) {
    onProgress(`restart ${part.name} of Temporal`);
    await part.restart();
    await sleep(CALM_MS);
  }
  for (const part of fixture.roles) {
    onProgress(`restart ${part.name} as the other build`);
    part.useBuild(build.cli);
    await part.restart();
    await sleep(CALM_MS);
  }
  const replayedAfter = await replay();
  const { answered, lost, errors, shed } = seen.calls;
  const failed = lost - before.lost + errors - before.errors + shed - before.shed;
  return [
    {
      invariant: 'no request fails while every process is restarted',
      holds: failed === 0,
      detail: `${answered - before.answered} answered, ${failed} failed`,
    },
    {
      invariant: 'the other build replays every open workflow, before and after',
      holds: replayedBefore.code === 0 && replayedAfter.code === 0,
      detail: `before: ${replayedBefore.text}; after: ${replayedAfter.text}`,
    },
  ];
}
