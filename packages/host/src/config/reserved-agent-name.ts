/** What a person's own programs are called, which have a chat and a canvas too: no agent may be. */
export const ownersName = "local";
