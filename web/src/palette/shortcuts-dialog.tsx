import { Kbd, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { palette } from '../texts/palette.ts';
import { modKey } from './mod-key.ts';

const words = palette.shortcuts;

/** The list of keyboard shortcuts. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={words.title} size="md">
      <Table withRowBorders verticalSpacing="xs">
        <Table.Tbody>
          <Shortcut does={words.search}>
            <Kbd>{modKey()}</Kbd> <Kbd>K</Kbd>
          </Shortcut>
          <Shortcut does={words.list}>
            <Kbd>?</Kbd>
          </Shortcut>
          <Shortcut does={words.move}>
            <Kbd>{words.up}</Kbd> {words.or} <Kbd>{words.down}</Kbd>
          </Shortcut>
          <Shortcut does={words.choose}>
            <Kbd>Enter</Kbd>
          </Shortcut>
          <Shortcut does={words.neighbours}>
            <Kbd>J</Kbd> {words.or} <Kbd>K</Kbd>
          </Shortcut>
          <Shortcut does={words.close}>
            <Kbd>Esc</Kbd>
          </Shortcut>
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}

function Shortcut({ does, children }: { does: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {does}
      </Table.Th>
      <Table.Td ta="end">{children}</Table.Td>
    </Table.Tr>
  );
}
