import { Button, Group, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { newIdempotencyKey } from '../../../api/request.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { deleteSigningSecret, rotateSigningSecret } from '../../../api/webhook-signing.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { Callout } from '../../../components/callout.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Facts } from '../../../components/facts.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Panel } from '../../../components/panel.tsx';
import { SecretInProgress, useSecretRequests } from '../../../components/secret-in-progress.tsx';
import { SecretOnce } from '../../../components/secret-once.tsx';
import { Time } from '../../../components/time.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookSigning as texts } from '../../../texts/webhook-signing.ts';
import { formatDateTime } from '../../../utilities/times.ts';

const DEFAULT_PERIOD = '86400';
const PERIODS = Object.entries(texts.periods).map(([value, label]) => ({ value, label }));

/** Shows whether postbacks are signed; creates, replaces and removes the secret. */
export function SigningPanel({ webhook }: { webhook: WebhookRecord }) {
  const readOnly = useWebhooksReadOnly();
  const [asking, setAsking] = useState<'rotate' | 'end' | null>(null);
  /** The other dialog may be open when a response arrives. */
  const close = (which: 'rotate' | 'end') => setAsking((now) => (now === which ? null : now));
  const rotation = useRotation(webhook.id, asking === 'rotate');
  const end = useEnd(webhook.id, asking === 'end', () => close('end'));
  const signed = webhook.signing_since_dt !== null;
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        !readOnly && (
          <Group gap="xs">
            {signed && (
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  if (!end.isPending) end.reset();
                  setAsking('end');
                }}
              >
                {texts.end}
              </Button>
            )}
            <Button
              variant="default"
              size="xs"
              onClick={() => {
                rotation.startOver();
                setAsking('rotate');
              }}
            >
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
      <SecretInProgress when={rotation.isMaking && rotation.secret === null} />
      <RotateDialog
        webhook={webhook}
        rotation={rotation}
        opened={asking === 'rotate'}
        onClose={() => close('rotate')}
      />
      <ConfirmDialog
        opened={asking === 'end'}
        title={texts.endTitle}
        confirmLabel={texts.endConfirm}
        pending={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
        onClose={() => close('end')}
      >
        {texts.endDescription}
      </ConfirmDialog>
    </Panel>
  );
}

/** Creates or replaces the secret, and keeps the new one until it was copied, even if the dialog was closed before. */
function useRotation(webhookId: number, isOpen: boolean) {
  const queryClient = useQueryClient();
  const [period, setPeriod] = useState(DEFAULT_PERIOD);
  const [secret, setSecret] = useState<string | null>(null);
  /** The idempotency key of the next request; empty if it gets a new one. */
  const key = useRef('');
  const making = useSecretRequests();
  const rotate = useFormMutation(
    {
      mutationFn: () => {
        if (key.current === '') key.current = newIdempotencyKey();
        return making.follow(rotateSigningSecret(webhookId, Number(period), key.current));
      },
      onSuccess: async (made) => {
        key.current = '';
        setSecret(made.signing_secret);
        await queryClient.invalidateQueries({ queryKey: webhooksKey });
      },
    },
    isOpen,
  );
  return {
    rotate,
    isMaking: making.isAny,
    period,
    choose: (chosen: string) => {
      key.current = '';
      setPeriod(chosen);
    },
    secret,
    forgetSecret: () => setSecret(null),
    /** Does nothing while a request is in progress: with a new key, a second one would end the secret that the first one keeps. */
    startOver: () => {
      if (rotate.isPending) return;
      key.current = '';
      rotate.reset();
      setPeriod(DEFAULT_PERIOD);
    },
  };
}

function useEnd(webhookId: number, isOpen: boolean, onEnded: () => void) {
  const queryClient = useQueryClient();
  return useFormMutation(
    {
      mutationFn: () => deleteSigningSecret(webhookId),
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: webhooksKey });
        onEnded();
        notifyDone(texts.ended);
      },
    },
    isOpen,
  );
}

/** Asks how long the old secret keeps signing, and shows the new one once. */
function RotateDialog({
  webhook,
  rotation,
  opened,
  onClose,
}: {
  webhook: WebhookRecord;
  rotation: ReturnType<typeof useRotation>;
  opened: boolean;
  onClose: () => void;
}) {
  const { rotate, period, choose, secret, forgetSecret } = rotation;
  const signed = webhook.signing_since_dt !== null;
  const older = webhook.former_signing_secret_until_dt;
  if (secret !== null) {
    return (
      <MadeDialog
        secret={secret}
        onClose={() => {
          forgetSecret();
          onClose();
        }}
      />
    );
  }
  return (
    <ConfirmDialog
      opened={opened}
      title={signed ? texts.rotateTitle : texts.startTitle}
      confirmLabel={signed ? texts.rotateConfirm : texts.startConfirm}
      harmless={older === null}
      pending={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      {signed ? (
        <Stack gap="sm">
          <div>{texts.rotateDescription}</div>
          {older !== null && (
            <Callout tone="warn" title={texts.olderUntil(formatDateTime(new Date(older)))}>
              {texts.olderEnds}
            </Callout>
          )}
          <Select
            label={texts.formerFor}
            description={texts.leaked}
            data={PERIODS}
            value={period}
            onChange={(value) => choose(value ?? DEFAULT_PERIOD)}
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
    <Dialog
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
    </Dialog>
  );
}
