import { openDataDir } from '../../../../src/local/data-dir';
import { SetupError } from '../../../../src/local/setup-error';

/** Takes a data directory and keeps it until standard input ends; prints what happened. */
async function main(directory: string): Promise<void> {
  try {
    const dataDir = await openDataDir(directory);
    process.stdout.write('taken\n');
    process.stdin.resume().once('end', () => void dataDir.close());
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stdout.write(`${error.exitCode} ${error.message}\n`);
  }
}

void main(process.argv[2] as string);
