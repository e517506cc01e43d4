import { useState } from 'preact/hooks';
import { api } from '../api';
import { Dialog, SecretDialog } from '../elements';
import { t } from '../texts';
import { EndpointForm } from './endpoint-form';

/** Asks for an endpoint, creates it and shows its secret, which cannot be read again. */
export function NewEndpoint(props: {
  onCreated: () => Promise<void>;
  /** With the new endpoint's id, or null if none was created. */
  onClose: (id: string | null) => void;
}) {
  const [dirty, setDirty] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  if (created) {
    return (
      <SecretDialog
        title={t.signingSecret}
        secret={created.secret}
        text={t.signingSecretText}
        onClose={() => props.onClose(created.id)}
      />
    );
  }
  const cancel = () => props.onClose(null);
  return (
    <Dialog title={t.newEndpoint} unsaved={dirty} onClose={cancel}>
      <EndpointForm
        submit={t.create}
        onCancel={cancel}
        onDirty={setDirty}
        save={async (endpoint) => {
          const { id, secret } = await api.createEndpoint(endpoint);
          if (secret) setCreated({ id, secret });
          else props.onClose(id);
          await props.onCreated();
        }}
      />
    </Dialog>
  );
}
