import { getRouteApi } from '@tanstack/react-router';
import { createEquivalent } from '../../../api/equivalents.ts';
import { toEquivalent } from './group-draft.ts';
import { NewGroupPage } from './new-group-page.tsx';

const route = getRouteApi('/app/content-layout/content/equivalents/new');

/** Creates an equivalent. */
export function NewEquivalentPage() {
  const { folder } = route.useSearch();
  return (
    <NewGroupPage
      kind="equivalent"
      folderId={folder}
      create={(draft, key) => createEquivalent(toEquivalent(draft), key)}
    />
  );
}
