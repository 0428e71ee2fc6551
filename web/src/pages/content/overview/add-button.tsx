import { IconPlus } from '@tabler/icons-react';
import { HOME_ID } from '../../../api/folders.ts';
import { ButtonLink } from '../../../components/links.tsx';

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
    <ButtonLink
      leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
      to={to}
      search={(folderId === HOME_ID ? {} : { folder: folderId }) as never}
    >
      {children}
    </ButtonLink>
  );
}
