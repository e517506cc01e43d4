import { useState } from 'preact/hooks';
import { download } from '../api';
import { Allowed } from './allowed';
import { ActionButton, Problem } from './basics';

/** Saves an export as a file; shown to those who may export. */
export function DownloadButton({ path, filename, text }: { path: string; filename: string; text: string }) {
  const [error, setError] = useState<Error | null>(null);
  return (
    <Allowed scope="export">
      <ActionButton act={() => download(path, filename)} onError={setError}>
        {text}
      </ActionButton>
      <Problem error={error} />
    </Allowed>
  );
}
