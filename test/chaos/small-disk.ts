import { execFile } from 'node:child_process';
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own in a file, which can be filled without harm to the machine. Needs root. */
export interface SmallDisk {
  fill(): Promise<void>;
  free(): Promise<void>;
  unmount(): Promise<void>;
}

const MEGABYTES = 1_000;

/** Moves a directory onto a disk of its own, which is mounted in its place. */
export async function moveToSmallDisk(image: string, directory: string): Promise<SmallDisk> {
  await run('truncate', ['-s', `${MEGABYTES}M`, image]);
  await run('mkfs.ext4', ['-q', '-m', '0', image]);
  const before = `${directory}-before`;
  await rename(directory, before);
  await mkdir(directory);
  await run('mount', ['-o', 'loop', image, directory]);
  // Its owner and its mode as well.
  await run('cp', ['-a', `${before}/.`, directory]);
  await rm(before, { recursive: true });
  const ballast = path.join(directory, 'ballast');
  return {
    async fill() {
      const file = await open(ballast, 'w');
      try {
        // Not sparse: every block is taken, down to the last.
        for (let block = 2 ** 24; block >= 2 ** 12;) {
          const { bavail, bsize } = await statfs(directory);
          const size = Math.min(block, bavail * bsize);
          if (size === 0) break;
          const written = await file.write(Buffer.alloc(size)).catch(() => null);
          if (written === null) block /= 2;
        }
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
    async unmount() {
      await rm(ballast, { force: true });
      await run('umount', [directory]).catch(() => run('umount', ['-l', directory]));
      await rm(image, { force: true });
    },
  };
}
