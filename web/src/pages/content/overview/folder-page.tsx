import { Button, Drawer, Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFolderOff, IconFolders } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type AssetRecord, readAsset } from '../../../api/content-assets.ts';
import { isNoSuchRecord } from '../../../api/errors.ts';
import { contentKey, HOME_ID } from '../../../api/folders.ts';
import { AssetLink } from '../../../components/asset-link.tsx';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { focusHeading } from '../../../components/focus-heading.ts';
import { PageHeader } from '../../../components/page-header.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { usePageName } from '../../../navigation/page-name.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { content, folders } from '../../../texts/content.ts';
import { shared } from '../../../texts/shared.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { AccountsPanel } from '../accounts/accounts-panel.tsx';
import { FolderActions } from '../folder-panel/folder-actions.tsx';
import { FolderPanel } from '../folder-panel/folder-panel.tsx';
import { Breadcrumbs } from '../folders/breadcrumbs.tsx';
import type { FolderIndex, FolderNode } from '../folders/folder-index.ts';
import { FolderPath } from '../folders/folder-path.tsx';
import { useFolderIndex } from '../folders/use-folder-index.ts';
import { ChooseFiles } from '../uploads/choose-files.tsx';
import { DropZone } from '../uploads/drop-zone.tsx';
import { useUpload } from '../use-upload.ts';
import { AddButton } from './add-button.tsx';
import { BundleTable } from './bundle-table.tsx';
import { CONTENT_KINDS, type ContentKind } from './content-kinds.ts';
import { CourseTable } from './course-table.tsx';
import { EquivalentTable } from './equivalent-table.tsx';
import styles from './overview.module.css';
import { includesSubfolders } from './use-content-list.ts';

const route = getRouteApi('/app/content-layout/content');
/** Narrower windows have no room for the tree next to a table. */
const WIDE = '(min-width: 62em)';

/** A folder: its content, and the tree next to it. */
export function FolderPage() {
  const { folder: folderId = HOME_ID } = route.useSearch();
  const tree = useFolderIndex();
  const { index, truncated, refetch } = tree;
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) === true;
  const [choosing, setChoosing] = useState(false);
  const node = index?.get(folderId);
  // If there are too many folders, the tree contains only the first ones. A tree that is a minute old omits newer ones.
  const beyond = useQuery({
    queryKey: [...contentKey, 'folder', folderId],
    queryFn: ({ signal }) => readAsset({ type: 'FOLDER', id: folderId }, signal),
    enabled: index !== null && node === undefined,
  });
  const isMissing = useIsMissing(folderId, beyond, isNoSuchRecord);
  const lone = node === undefined && !isMissing ? (beyond.data?.record ?? null) : null;
  const isNewer = lone !== null && !truncated;
  useEffect(() => {
    if (isNewer) void refetch();
  }, [isNewer, refetch]);
  const unread = index === null ? tree : node === undefined && lone === null && !isMissing ? beyond : null;
  if (unread !== null && unread.error !== null)
    return <ErrorState error={unread.error} retry={() => void unread.refetch()} />;
  const shown = node ?? (lone === null ? null : nodeWithoutChildren(lone));
  const isGone = index !== null && node === undefined && isMissing;
  return (
    <div className={styles.page}>
      {isWide ? (
        <aside className={styles.side} aria-label={folders.title}>
          <FolderPanel index={index} truncated={truncated} open={folderId} />
        </aside>
      ) : (
        <Drawer
          opened={choosing}
          onClose={() => setChoosing(false)}
          title={folders.title}
          size="min(22rem, 88vw)"
          closeButtonProps={{ 'aria-label': shared.close }}
          classNames={{ body: styles.drawer ?? '' }}
        >
          <FolderPanel
            index={index}
            truncated={truncated}
            open={folderId}
            onOpened={() => setChoosing(false)}
          />
        </Drawer>
      )}
      <div className={styles.main}>
        {!isWide && (
          <Button
            variant="default"
            size="xs"
            mb="sm"
            leftSection={<IconFolders size={16} stroke={1.6} aria-hidden />}
            onClick={() => setChoosing(true)}
          >
            {folders.open}
          </Button>
        )}
        {isGone ? (
          <EmptyState
            heading="h1"
            icon={IconFolderOff}
            title={folders.gone.title}
            description={folders.gone.description}
            action={
              <AssetLink type="FOLDER" id={HOME_ID}>
                {folders.gone.action}
              </AssetLink>
            }
          />
        ) : (
          <OpenFolder folderId={folderId} node={shown} lone={lone} index={index} />
        )}
      </div>
    </div>
  );
}

function OpenFolder({
  folderId,
  node,
  lone,
  index,
}: {
  folderId: number;
  /** Null while the tree is loading. */
  node: FolderNode | null;
  /** The record of a folder that the tree omits. */
  lone: AssetRecord | null;
  index: FolderIndex | null;
}) {
  const { kind = 'courses', below, learning_standard: _ofCourses, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const isAdmin = useIsAdmin();
  const upload = useUpload();
  const isHome = folderId === HOME_ID;
  const title = node === null ? content.title : isHome ? content.title : node.name;
  const target = { kind: 'course', folderId, folderName: node?.name ?? '' } as const;
  usePageName(title);
  useFocusAfterChange(folderId);
  const path = node === null || index === null ? [] : index.path(node).slice(0, -1);
  const parentId = lone?.parent_id ?? node?.parent?.id ?? HOME_ID;
  const counts = node === null || lone !== null ? null : (index?.countsBelow(node) ?? null);
  const shownCounts = includesSubfolders(folderId, below) ? counts : node;
  const parts = { folderId, folderName: node?.name ?? '', counts, isHome };
  return (
    <DropZone
      hint={content.dropHere(node?.name ?? '')}
      disabled={!isAdmin || node === null}
      onFiles={(files) => upload(files, target)}
    >
      {lone !== null ? (
        <FolderPath folderId={parentId} location={lone.location} />
      ) : (
        !isHome && <Breadcrumbs path={path} />
      )}
      <PageHeader
        title={<bdi>{title}</bdi>}
        actions={
          isAdmin &&
          node !== null && (
            <>
              <FolderActions key={folderId} folder={node} parentId={parentId} />
              {kind === 'courses' && (
                <ChooseFiles multiple onFiles={(files) => upload(files, target)}>
                  {content.upload}
                </ChooseFiles>
              )}
              {kind === 'equivalents' && (
                <AddButton to="/content/equivalents/new" folderId={folderId}>
                  {content.addEquivalent}
                </AddButton>
              )}
              {kind === 'bundles' && (
                <AddButton to="/content/bundles/new" folderId={folderId}>
                  {content.addBundle}
                </AddButton>
              )}
            </>
          )
        }
      />
      <Tabs
        value={kind}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({
            search: {
              ...(isHome ? {} : { folder: folderId }),
              ...(below === undefined ? {} : { below }),
              ...(search.search === undefined ? {} : { search: search.search }),
              ...(chosen === 'courses' ? {} : { kind: chosen as ContentKind }),
            },
            resetScroll: false,
          })
        }
      >
        <Tabs.List aria-label={content.kindTabs} mb="md">
          {CONTENT_KINDS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {content.kinds[each]}
              {shownCounts !== null && shownCounts[each] > 0 && (
                <span className={styles.count}>{formatNumber(shownCounts[each])}</span>
              )}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="courses">
          <CourseTable key={folderId} {...parts} onFiles={(files) => upload(files, target)} />
        </Tabs.Panel>
        <Tabs.Panel value="equivalents">
          <EquivalentTable key={folderId} {...parts} />
        </Tabs.Panel>
        <Tabs.Panel value="bundles">
          <BundleTable key={folderId} {...parts} />
        </Tabs.Panel>
      </Tabs>
      {!isHome && node !== null && (
        <div className={styles.panels}>
          <AccountsPanel key={folderId} asset={{ type: 'FOLDER', id: folderId, name: node.name }} />
          <ChangesPanel type="FOLDER" id={folderId} />
        </div>
      )}
    </DropZone>
  );
}

/** Moves the focus to the heading if the open folder changes and the element with the focus is gone, such as a dialog. */
function useFocusAfterChange(folderId: number): void {
  const last = useRef(folderId);
  useEffect(() => {
    if (last.current === folderId) return;
    last.current = folderId;
    if (document.activeElement === document.body) focusHeading();
  }, [folderId]);
}

function nodeWithoutChildren({ id, name }: { id: number; name: string }): FolderNode {
  return { id, name, parent: null, children: [], courses: 0, equivalents: 0, bundles: 0 };
}
