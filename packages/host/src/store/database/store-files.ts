/** The embedded database, in the data folder. */
export const databaseFile = "galley.sqlite";
