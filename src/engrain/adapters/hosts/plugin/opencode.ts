const OURS = "prt_engrain" // how the ids of the parts begin that are ours
const isOurs = (part) => typeof part.id === "string" && part.id.startsWith(OURS)

/** A prompt without the quotes that `opencode run` puts around it. */
function unquote(text) {
  return /^"(?:[^"\\]|\\.)*"$/s.test(text) ? text.slice(1, -1).replaceAll('\\"', '"') : text
}

/** OpenCode 1: a function that returns hooks. */
async function server({ client, directory }) {
  const sessions = follow(directory)
  let count = 0
  return {
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!id || !texts.length) return
      const prompt = texts.map((part) => unquote(part.text)).join("\n")
      const isContinued = async () => {
        const kept = await client?.session?.messages?.({ path: { id } })?.catch?.(() => {})
        return kept?.data?.some?.(({ info }) => info.role === "assistant") ?? false
      }
      const { context, message } = sessions.isChild(id)
        ? await sessions.child(id)
        : await sessions.prompt(id, prompt, isContinued)
      if (context) {
        // Ignored where a title is made of the message; the model gets it below.
        output.parts.push({
          id: `${OURS}${Date.now().toString(36)}${count++}`,
          sessionID: id,
          messageID: output.message.id,
          type: "text",
          text: context,
          synthetic: true,
          ignored: true,
        })
      }
      if (message) {
        await client?.tui?.showToast?.({ body: { message, variant: "info" } })?.catch?.(() => {})
      }
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      messages.forEach((message, at) => {
        if (!message.parts.some(isOurs)) return
        const parts = message.parts.map((part) => (isOurs(part) ? { ...part, ignored: false } : part))
        messages[at] = { ...message, parts }
      })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (!sessionID || typeof output?.output !== "string") return
      const code = output.metadata?.exit
      const failed = typeof code === "number" && code !== 0
      const context = await sessions.tool(sessionID, tool, args, output.output, failed)
      if (context) output.output += `\n\n${context}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await sessions.compact(sessionID)
    },
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const id = about.sessionID ?? about.info?.id
      if (event.type === "session.created" && about.info?.parentID) sessions.addChild(id, about.info.parentID)
      if (!id || sessions.isChild(id)) return
      if (event.type === "session.idle") await sessions.stop(id)
      if (event.type === "session.deleted") await sessions.end(id)
    },
  }
}

/** OpenCode 2: a setup that registers hooks on its context. */
async function setup(ctx) {
  const sessions = follow(ctx.location?.directory ?? process.cwd())
  const closing = new AbortController()
  await ctx.session.hook("prompt", async (event) => {
    const text = event.prompt?.text
    if (!text) return
    const id = event.sessionID
    const { context } = sessions.isChild(id) ? await sessions.child(id) : await sessions.prompt(id, text)
    if (context) event.prompt.text = `${text}\n\n${context}`
  })
  await ctx.session.hook("compaction", async (event) => {
    if (!sessions.isChild(event.sessionID)) await sessions.compact(event.sessionID)
  })
  const listen = async () => {
    for await (const event of ctx.event.subscribe({ signal: closing.signal })) {
      const id = event.data?.sessionID
      if (event.type === "session.created" && event.data?.parentID) sessions.addChild(id, event.data.parentID)
      if (!id || sessions.isChild(id)) continue
      if (event.type === "session.execution.succeeded") await sessions.stop(id)
      if (event.type === "session.deleted") await sessions.end(id)
    }
  }
  listen().catch(() => {})
  return () => closing.abort()
}

export default { id: "engrain", server, setup }
