import { IconBookOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bundleForEditQuery, bundleQuery, updateBundle } from '../../../api/bundles.ts';
import { isNoSuchRecord } from '../../../api/errors.ts';
import { Unread } from '../../../components/unread.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { MissingAsset } from '../missing-asset.tsx';
import { draftOfBundle, toBundle } from './group-draft.ts';
import { GroupPage } from './group-page.tsx';

const route = getRouteApi('/app/content-layout/content/bundles/$bundleId');

/** A bundle. */
export function BundlePage() {
  const { bundleId } = route.useParams();
  const id = Number(bundleId);
  const isAdmin = useIsAdmin();
  const query = (isAdmin ? bundleForEditQuery : bundleQuery)(id);
  const read = useQuery(query);
  const { data } = read;
  if (useIsMissing(id, read, isNoSuchRecord)) return <MissingAsset icon={IconBookOff} />;
  if (data === undefined) return <Unread query={read} />;
  return (
    <GroupPage
      key={id}
      kind="bundle"
      read={data}
      queryKey={query.queryKey}
      toDraft={draftOfBundle}
      update={(draft, etag) => updateBundle(id, toBundle(draft), etag)}
    />
  );
}
