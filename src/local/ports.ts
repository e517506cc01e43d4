import { bindOnce } from '../base/lib/ports';
import { SetupError } from './setup-error';

/** Fails with the setting's name if the port is already in use. */
export async function requireFreePort(port: number, setting: string, what: string): Promise<void> {
  try {
    await bindOnce(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw portInUse(port, setting, what);
    throw new SetupError(
      `Port ${port} cannot be used for ${what} (${code}); set ${setting} to another port.`,
    );
  }
}

export function portInUse(port: number, setting: string, what: string): SetupError {
  return new SetupError(
    `Port ${port} for ${what} is already in use; free it, or set ${setting} to another port (0 takes any free one).`,
  );
}
