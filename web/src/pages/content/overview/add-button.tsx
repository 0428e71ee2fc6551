import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { HOME_ID } from '../../../api/folders.ts';

/** Links to the page that creates an asset in this folder. */
export function AddButton({
  to,
  folderId,
  children,
}: {
  to: '/content/equivalents/new' | '/content/bundles/new';
  folderId: number;
  children: string;
}) {
  return (
    <Button
      leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
      renderRoot={(props) => (
        <Link to={to} search={folderId === HOME_ID ? {} : { folder: folderId }} {...props} />
      )}
    >
      {children}
    </Button>
  );
}
