import { createContext, type RefObject, use } from 'react';
import type { AssetReference } from '../../api/content-assets.ts';
import type { UploadQueue } from './uploads/upload-queue.ts';

/** An asset that is dragged to another folder: a folder, or something in one. */
export interface Dragged extends AssetReference {
  name: string;
  folderId: number;
}

/** The dragged assets. */
export interface Dragging {
  assets: readonly Dragged[];
  /** Called after it was moved to a folder, with the assets that are there now. */
  onMoved?: (assets: readonly Dragged[], folderId: number) => void;
}

/** While nothing is dragged. */
export const NOTHING_DRAGGED: Dragging = { assets: [] };

/** The state that the content pages share. */
export interface ContentState {
  uploads: UploadQueue;
  /** The folders that are expanded in the tree. */
  expanded: ReadonlySet<number>;
  setExpanded: (change: (expanded: ReadonlySet<number>) => ReadonlySet<number>) => void;
  /** The assets that are being dragged. Browsers reveal the data only on drop. */
  dragged: RefObject<Dragging>;
}

/** Only the layout of the content pages provides it. */
export const ContentContext = createContext<ContentState | null>(null);

/** The state that the content pages share. Only they may use it. */
export function useContent(): ContentState {
  const state = use(ContentContext);
  if (state === null) throw new Error('there is no content state outside its layout');
  return state;
}
