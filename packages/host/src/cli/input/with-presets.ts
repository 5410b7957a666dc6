import { resolve } from "node:path";
import { type PresetLibrary, checkPresetName, presetLibrary } from "../../presets/preset-library.ts";
import { type DaemonClient, daemonClient } from "../../daemon/client/daemon-client.ts";
import { findDaemon } from "../../daemon/client/running-daemon.ts";
import { pathIn } from "../../disk/data-paths.ts";

/**
 * The library of a data folder, for as long as `work` needs it. Where a daemon runs it does the work, so that it and the
 * pages that look on know of it.
 */
export async function withPresets<Result>(
  data: string,
  work: (presets: PresetLibrary) => Promise<Result>,
): Promise<Result> {
  const daemon = await findDaemon(resolve(data));
  if (daemon) return work(presetsThroughDaemon(daemonClient(daemon)));
  const library = presetLibrary({ folder: pathIn(data, "presets"), now: Date.now, onChange: () => {} });
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

function presetsThroughDaemon(daemon: DaemonClient): PresetLibrary {
  // What the daemon says of a name that cannot be one is meant for programs.
  const params = (id: string): { readonly id: string } => ({ id: checkPresetName(id) });
  return {
    list: async () => (await daemon.call("presets.list", {})).presets,
    get: (id) => daemon.call("presets.get", { params: params(id) }),
    save: (id, body) => daemon.call("presets.save", { params: params(id), body }),
    async delete(id) {
      await daemon.call("presets.delete", { params: params(id) });
    },
    versions: async (id) => (await daemon.call("presets.versions", { params: params(id) })).versions,
    version: (id, version) => daemon.call("presets.version", { params: { ...params(id), version } }),
  };
}
