import { useState } from 'preact/hooks';
import { can } from '../access';
import { download } from '../api';
import { errorText } from '../errors';
import { toast } from './toast';

/** Saves an export as a file; shown to those who may export. */
export function DownloadButton({ path, filename, text }: { path: string; filename: string; text: string }) {
  const [busy, setBusy] = useState(false);
  if (!can('export')) return null;
  const save = () => {
    setBusy(true);
    download(path, filename)
      .catch((error: Error) => toast(errorText(error)))
      .finally(() => setBusy(false));
  };
  return (
    <button type="button" class="btn" disabled={busy} onClick={save}>
      {text}
    </button>
  );
}
