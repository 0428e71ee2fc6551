import { Button, Group, Stack, Text } from '@mantine/core';
import type { OneTimeLink } from '../../api/administrators.ts';
import { Dialog } from '../../components/dialog.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Time } from '../../components/time.tsx';
import { administrators as texts } from '../../texts/administrators.ts';
import { shared } from '../../texts/shared.ts';

/** Shows a one-time link once. Only its button closes it, so that the link is not lost by accident. */
export function LinkDialog({
  link,
  title,
  email,
  onClose,
}: {
  link: OneTimeLink | null;
  title: string;
  email: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      opened={link !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {link !== null && (
        <Stack gap="md">
          <Text component="div">{texts.link.description(email)}</Text>
          <SecretOnce label={texts.link.label} value={link.invitation_url} note={texts.link.once} />
          <Group justify="space-between" gap="sm">
            <Text component="div" c="dimmed" size="sm">
              {texts.link.expires} <Time value={link.invitation_expires_dt} />
            </Text>
            <Button onClick={onClose}>{shared.secret.done}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
