import { Button, Group, getDefaultZIndex, Input, Stack } from '@mantine/core';
import { serviceAddress } from '../../api/addresses.ts';
import type { ClientWithSecret } from '../../api/clients.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { clients } from '../../texts/clients.ts';
import styles from './clients.module.css';

const { secret: texts } = clients;

/** Shows the id and secret of a client once. Only its button closes it, so that they are not lost by accident. */
export function SecretDialog({
  client,
  title,
  onClose,
}: {
  client: ClientWithSecret | null;
  title: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      opened={client !== null}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      // In front of a form that was opened in the meantime.
      zIndex={getDefaultZIndex('popover') - 1}
    >
      {client !== null && <Secret client={client} onClose={onClose} />}
    </Dialog>
  );
}

function Secret({ client, onClose }: { client: ClientWithSecret; onClose: () => void }) {
  const command = tokenCommand(client.client_id);
  return (
    <Stack gap="md">
      <div>{texts.description(client.name)}</div>
      <Input.Wrapper label={texts.id} labelElement="div">
        <div className={styles.copied}>
          <code className={styles.code}>{client.client_id}</code>
          <CopyButton value={client.client_id} label={texts.copyId} />
        </div>
      </Input.Wrapper>
      <SecretOnce label={texts.secret} value={client.client_secret} note={texts.once} />
      <Input.Wrapper label={texts.usage} description={texts.usageDescription} labelElement="div">
        <div className={styles.copied}>
          <code className={styles.code}>{command}</code>
          <CopyButton value={command} label={texts.copyCommand} />
        </div>
      </Input.Wrapper>
      <Group justify="flex-end">
        <Button onClick={onClose}>{texts.done}</Button>
      </Group>
    </Stack>
  );
}

/** Without the secret, because shells keep a history of commands. */
function tokenCommand(id: string): string {
  return `curl -u ${id} -d grant_type=client_credentials ${serviceAddress('/public/v1/auth')}`;
}
