import { ActionIcon, Box, Button, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { shared } from '../texts/shared.ts';
import { notifyError } from './notify.tsx';

const DONE_SHOWN_MS = 2_000;

/** Copies a text. `label` is its accessible name, and with `wide` its visible text. */
export function CopyButton({
  value,
  label = shared.copy.copy,
  wide = false,
}: {
  value: string;
  label?: string;
  wide?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    if (await copyText(value)) setCopied(true);
    else notifyError(shared.copy.failed);
  };
  const icon = copied ? <IconCheck size={16} stroke={1.8} /> : <IconCopy size={16} stroke={1.6} />;
  if (wide) {
    return (
      <Button variant="default" leftSection={icon} onClick={copy}>
        {copied ? shared.copy.copied : label}
      </Button>
    );
  }
  return (
    // The hidden text must not be wider than a box that scrolls.
    <Box component="span" pos="relative" display="inline-flex">
      <Tooltip label={copied ? shared.copy.copied : label}>
        <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={label}>
          {icon}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{copied && shared.copy.copied}</VisuallyHidden>
    </Box>
  );
}

/** The clipboard requires https or localhost; otherwise, the older method is tried. */
async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const { activeElement: button } = document;
    const field = document.createElement('textarea');
    field.value = value;
    field.setAttribute('readonly', '');
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    // The field has taken it.
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
    return done;
  }
}
