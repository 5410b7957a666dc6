import { GalleyError } from "@galley/engine";

export function loginNeeded(): GalleyError {
  return new GalleyError("LoginNeeded", "The daemon does not know who asks.", {
    hint: "In a browser: open the link that `galley open` prints. In a program: Authorization: Bearer, with the token of daemon.json.",
  });
}
