import { Button, Group, Modal, Select, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { newIdempotencyKey } from '../../../api/request.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { deleteSigningSecret, rotateSigningSecret } from '../../../api/webhook-signing.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Facts } from '../../../components/facts.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Panel } from '../../../components/panel.tsx';
import { SecretOnce } from '../../../components/secret-once.tsx';
import { Time } from '../../../components/time.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookSigning as texts } from '../../../texts/webhook-signing.ts';

const DEFAULT_PERIOD = '86400';
const PERIODS = Object.entries(texts.periods).map(([value, label]) => ({ value, label }));

/** Shows whether postbacks are signed; creates, replaces and removes the secret. */
export function SigningPanel({ webhook }: { webhook: WebhookRecord }) {
  const readOnly = useWebhooksReadOnly();
  const [asking, setAsking] = useState<'rotate' | 'end' | null>(null);
  const signed = webhook.signing_since_dt !== null;
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        !readOnly && (
          <Group gap="xs">
            {signed && (
              <Button variant="default" size="xs" onClick={() => setAsking('end')}>
                {texts.end}
              </Button>
            )}
            <Button variant="default" size="xs" onClick={() => setAsking('rotate')}>
              {signed ? texts.rotate : texts.start}
            </Button>
          </Group>
        )
      }
    >
      {signed ? (
        <Facts
          items={[
            [texts.since, <Time key="since" value={webhook.signing_since_dt} format="absolute" />],
            webhook.former_signing_secret_until_dt === null
              ? null
              : [
                  texts.formerUntil,
                  <Time key="former" value={webhook.former_signing_secret_until_dt} format="absolute" />,
                ],
          ]}
        />
      ) : (
        texts.unsigned
      )}
      <RotateDialog webhook={webhook} opened={asking === 'rotate'} onClose={() => setAsking(null)} />
      <EndDialog webhookId={webhook.id} opened={asking === 'end'} onClose={() => setAsking(null)} />
    </Panel>
  );
}

/** Asks how long the old secret keeps signing, and shows the new one once. */
function RotateDialog({
  webhook,
  opened,
  onClose,
}: {
  webhook: WebhookRecord;
  opened: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [period, setPeriod] = useState(DEFAULT_PERIOD);
  /** The new secret, even if the dialog was closed before it arrived. */
  const [secret, setSecret] = useState<string | null>(null);
  /** The idempotency key of the next request; empty if it gets a new one. */
  const key = useRef('');
  const signed = webhook.signing_since_dt !== null;
  const rotate = useMutation({
    mutationFn: () => {
      if (key.current === '') key.current = newIdempotencyKey();
      return rotateSigningSecret(webhook.id, Number(period), key.current);
    },
    onSuccess: async (made) => {
      setSecret(made.signing_secret);
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
    },
  });
  const close = () => {
    key.current = '';
    setSecret(null);
    rotate.reset();
    setPeriod(DEFAULT_PERIOD);
    onClose();
  };
  if (secret !== null) return <MadeDialog secret={secret} onClose={close} />;
  return (
    <ConfirmDialog
      opened={opened}
      title={signed ? texts.rotateTitle : texts.startTitle}
      confirmLabel={signed ? texts.rotateConfirm : texts.startConfirm}
      harmless
      pending={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={close}
    >
      {signed ? (
        <Stack gap="sm">
          <div>{texts.rotateDescription}</div>
          <Select
            label={texts.formerFor}
            description={texts.leaked}
            data={PERIODS}
            value={period}
            onChange={(value) => {
              key.current = '';
              setPeriod(value ?? DEFAULT_PERIOD);
            }}
            allowDeselect={false}
          />
        </Stack>
      ) : (
        texts.startDescription
      )}
    </ConfirmDialog>
  );
}

/** Closes only by its button, so that the secret is not lost by accident. */
function MadeDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.made}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <SecretOnce label={texts.secret} value={secret} note={texts.once} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function EndDialog({
  webhookId,
  opened,
  onClose,
}: {
  webhookId: number;
  opened: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => deleteSigningSecret(webhookId),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
      onClose();
      notifyDone(texts.ended);
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.endTitle}
      confirmLabel={texts.endConfirm}
      pending={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {texts.endDescription}
    </ConfirmDialog>
  );
}
