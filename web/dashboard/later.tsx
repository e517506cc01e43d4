import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from './api';
import { Problem } from './elements';
import { t } from './texts';

/** A page whose script is loaded when it is first opened. */
export function later<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | null = null;
  return function Later(props: P) {
    const [, loadedNow] = useState(false);
    const [error, setError] = useState<Error | null>(null);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (page) => {
          loaded = page;
          loadedNow(true);
        },
        () => setError(new ApiError(0, 'offline', t.offline)),
      );
    }, []);
    // The whole page: after an update of the service its files have other names.
    if (error) return <Problem error={error} retry={() => location.reload()} />;
    const Page = loaded;
    return Page ? <Page {...props} /> : <p class="asking">{t.loading}</p>;
  };
}
