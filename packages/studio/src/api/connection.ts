import { create } from "zustand";

export interface Connection {
  /** The last call did not reach the daemon. */
  readonly isOffline: boolean;
  /** The daemon does not know this browser. */
  readonly isSignedOut: boolean;
}

export const useConnection = create<Connection>()(() => ({ isOffline: false, isSignedOut: false }));
