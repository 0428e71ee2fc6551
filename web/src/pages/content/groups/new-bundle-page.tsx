import { getRouteApi } from '@tanstack/react-router';
import { createBundle } from '../../../api/bundles.ts';
import { toBundle } from './group-draft.ts';
import { NewGroupPage } from './new-group-page.tsx';

const route = getRouteApi('/app/content-layout/content/bundles/new');

/** Creates a bundle. */
export function NewBundlePage() {
  const { folder } = route.useSearch();
  return (
    <NewGroupPage
      kind="bundle"
      folderId={folder}
      create={(draft, key) => createBundle(toBundle(draft), key)}
    />
  );
}
