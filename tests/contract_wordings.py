# ruff: noqa: E501  (the wordings stand as people write them)
"""Contracts for `search_docs` as different people would word them: right ones, and wrong ones.

Each line is description | when | search_terms | version_filter | returns | instructions, and the
example's search_terms, with its version behind a comma if it has one ("-": no example).
"""

RIGHT = """
Search the helpdesk's articles. | somebody asks how to do something or what it costs | 2-4 keywords, not a sentence | Form: v2.1. Only if the question names a version | snippets: source and excerpt. Cite the source | Nothing found? Retry once with one fewer; more keywords find less. | API key
Finds help articles by keyword. | the user has a question about procedures, charges or the API | Up to five key words. Don't pass the question as it is. | API version like v1.4; leave it out if none is mentioned | A dict with 'snippets', each {source, excerpt}; name the source in your answer | If it comes back empty, drop the least important keyword and try one more time. | rate limit, v1.4
Look up company documentation: rules, prices, how-tos and the tracking API. | a question could be answered by the documentation | Three keywords or so. Complete sentences find nothing. | v{major}.{minor}. Omit unless the user asks about one version | 'snippets' is a list; every item has 'source' (URL) and 'excerpt'. Always quote the source. | Searching again with the same words gives the same. Take one word away instead, once. | cancel booking
Query the support knowledge base. | you need to know what a procedure, a fee or an API call is like | a handful of keywords separated by spaces | such as v2.0, and only when the user said so | snippets (source, excerpt). Mention every source you used. | When snippets is empty, remove one keyword and search once more. Then admit that you don't know. | reefer alarm
Retrieve passages from the customer manual. | Use it for questions on policies, costs and the API; not for live data. | Between 2 and 5 keywords from the question; a whole sentence finds nothing | The version in the form vN.N, e.g. v1.4. If the user doesn't name any, leave it empty. | Gives snippets with source and excerpt. Answers without a source are not accepted, so cite it. | No hits: try again with fewer keywords, at most once. Adding keywords makes it worse. | webhook signed, v2.0
Search docs by keywords. | someone wonders how a thing is done | few keywords; the more keywords, the fewer articles | 'v2.1' style; pass only if asked for | snippets[].source, snippets[].excerpt - cite source | zero results -> one retry, one keyword less | API key
Fetch articles about shipping procedures and charges from the helpdesk. | a customer asks what something costs, what the rule is, or how the API works | Keywords (two, three or four). No full sentences, please. | Leave this out, unless a version is named; then v and the number, as in v2.0 | You get 'snippets'. Each has the 'source' you must cite and an 'excerpt'. | Should the list be empty, repeat the search a single time without the least telling keyword. | demurrage days
Find what our documentation says on a topic. | questions about procedures, prices and the API come up | the topic in 2 to 5 keywords | optional. Write it as v1.4. Only where the question is about one version. | each of the snippets has a source and an excerpt; refer to the source | If nothing comes: one keyword fewer, once. Never invent an answer. | booking cancellation
Search the help center. | the question is about rules, charges, deadlines or our API | Short: 3 to 5 keywords that must all occur in the article | which API version (v2.1); when the user does not mention one, omit it | returns snippets: source + excerpt. Give the source with every statement. | A keyword too many hides the article. If you find nothing, leave one out and search again. | free storage
Looks things up in the API docs and the procedures. | anyone asks "how do I ..." or "what does it cost" | keywords only, five at most | format v<major>.<minor>; if and only if one is given | 'snippets' of 'source' and 'excerpt'; say which source it is from | Empty? Try again with a keyword less. Twice empty? Say that there is nothing. | key reset
Search helpdesk documentation. | a user needs guidance on a process, a charge or the tracking API | Pass 2 to 5 keywords, never one word alone and never the whole question. | A version such as v2.0, if the user talks about one; otherwise leave it out. | 'snippets', each with 'source' and 'excerpt'. Without naming the source, do not answer. | Not found: retry once, with one keyword fewer. Don't retry more than once. | cancel fee
Get help articles that hold all the given keywords. | a question is about how something works at this company | Two to four keywords; each more makes it find less | Only for questions about an older API: v1.4, v2.0 | snippets = list of {source, excerpt}. Put the source behind what you take from it. | retry once with one keyword dropped when there are no snippets; do not keep trying | temperature alarm
Search manual pages, by words. | it is asked how something is done or what it costs | a few words that the page must contain | v1.4 or the like, where one was asked for | The snippets carry source and excerpt. Show the source. | If you get no snippets, search again with fewer words, never with more words. | rate limit
Find procedures and API pages in the helpdesk. | someone asks about rules or charges | 2 to 5 important words, no question mark, no filler | Only if named: v{major}.{minor} | Cite 'source' of each of the 'snippets' whose 'excerpt' you use. | Nothing? Drop a word. Still nothing? Tell the user. | API key, v2.1
Search articles about procedures, charges and the API. | a person asks for help | at most 4 keywords taken from what they asked | the API's version when they mention it (v2.1), else nothing | snippets, source, excerpt; the source has to be in the answer | One retry is allowed and it should use fewer keywords. More than that is a waste. | webhooks
Consult the documentation on rules, prices and the API. | you are asked about a rule, a price or an endpoint of the API | Give several keywords, most specific first; do not write a sentence | like v2.0, only when the version matters to the user | result: snippets with a source (link) and an excerpt. Always give the link as source. | Too many keywords find nothing, so try again with one left out. | cancel booking
Search the knowledge articles on procedures and fees. | the answer depends on company policy | Keywords. Three are usually right. | "v" plus number, v1.4 for instance; skip it if no version is mentioned | A list of snippets (source/excerpt); add the source to the answer | No snippets: search a second time with one of the keywords removed, and stop there. | booking fee
Looks up how-to guides, tariffs and API reference. | a how-to, a tariff or the API is asked about | Key words, no more than 5 | Restrict to one version, e.g. v2.1. Unless the user wants that, leave it away. | snippets -> source, excerpt. Every answer names its source. | Fewer keywords find more: if you got nothing, try once more with one fewer. | API key
Search support documents by key word. | an employee asks how we do something | two or three keywords, as in 'cancel booking' | v2.1 (only if stated by the user) | snippets with source and excerpt. State the source. | On an empty result drop one of the keywords, and do not use the whole question instead. | reefer alarm
Find documentation for a question on procedures, costs or the API. | it would be in a manual | From 2 to 5 search terms, no stop words | Version as v{major}.{minor}, only if asked about a certain one | Has snippets; each snippet has source and excerpt. Tell the reader the source. | Found nothing? Leave out one term and ask again, but only once. | storage charge
Searches the helpdesk's twenty articles for keywords. | The user asks about a procedure, an invoice or an error of our service. | Two, three or four keywords, lower case, blank between them. Not the user's question. | Give it only when the user mentions a version, in the form v2.1. | A list called snippets; every one has a source and an excerpt. Quote the source in your answer. | Empty list? One more search with one keyword fewer, as all keywords have to occur. If that is empty as well, tell the user. | reset API key
Give it keywords, get the help articles that contain them all. | when a question is about using our service, rather than about our data | up to four keywords | the version named by the user, as in v1.4. No version named, no filter. | 'snippets': a list of {source, excerpt}; you must state the source | If there is nothing, remove one keyword and repeat the search a single time. | reset API key
Full-text search in the helpdesk articles (all words must match). | a user has trouble with the API, a container procedure or a fee | Keywords only: at least 2, at most 5. A sentence would match nothing. | Optional: v<major>.<minor> if the user gave one, e.g. v2.0; otherwise leave out | Returns snippets. Each snippet: source = link, excerpt = text. Always include the source in the reply. | Zero snippets means that some keyword was in no article. Search again, once, with one word less. | reset API key
Read the support knowledge base by keywords. | whenever help, policy or API documentation is needed | 3 keywords are ideal, 5 the maximum | only versions the user has named; looks like v2.1 | snippets with excerpt and source; the source goes into the answer, in brackets | On an empty result try one time more, without the most unusual keyword; on a second empty result, say that you found nothing. | reset API key
Looks up articles of the helpdesk. | Reach for it if somebody wants to know how to do something with us or why something failed. | The nouns that matter, two to four keywords. | Text like v2.1. Pass it if and only if a version was asked about. | You get snippets: the excerpt to read and the source to cite. | Every keyword must be in the article. So when nothing comes, drop a keyword and ask once more. | reset API key
Finds guides and policies. | how do I, what does it cost, is it allowed: questions of this kind | Some keywords (2 to 4), separated by spaces, in English. | API version, such as v1.4, when the user told it. Leave empty in all other cases. | The fields are source and excerpt, in a list snippets. Answers without the source are not accepted. | If no article matches: make the search broader by one keyword less, one time. | reset API key, v1.4
Search for articles in our documentation. Not for numbers of voyages. | The answer would be in a manual. | Pick 2 to 4 keywords out of what was said. Don't pass what was said. | Has the form v2.1; for questions that name a version, and for no other | snippets is a list, each item with its source and an excerpt. Mention the source you relied on. | Nothing found: shorten the search by one keyword, try that once, then give up and say so. | reset API key
Query our FAQ and API reference by words. | use this before answering any question about our rules or API | words to be found, 2 to 5 of them, no punctuation | version filter "v{major}.{minor}"; set only on the user's wish | What comes back: snippets[] with source and excerpt. Cite each source used. | If it is empty, reduce the keywords by one and retry, but no more than once. | reset API key
"""

# code | the key that is changed | its text; all else is as in the first right one
WRONG = """
retry_opposite | instructions | Nothing found? Retry once with one more keyword, never fewer.
retry_opposite | instructions | If nothing is found, add keywords until something is found.
retry_opposite | instructions | Nothing found? Don't try again with fewer keywords.
retry_opposite | instructions | Nothing found? Retry with the whole question instead of fewer keywords.
retry_opposite | instructions | Keep searching with fewer keywords as often as it takes.
retry_how | instructions | Nothing found? Try once more in other words.
retry_how | instructions | Never make anything up.
retry_opposite | instructions | When it is empty, use additional keywords; fewer keywords are too vague.
keywords_not_asked | search_terms | The user's question, word for word, 2 to 5 keywords long at least.
keywords_not_asked | search_terms | What is to be found out, in short.
keywords_number | search_terms | As many keywords as you can think of.
keywords_number | search_terms | Exactly one keyword.
keywords_not_asked | search_terms | Pass the complete question; 2 keywords are too few.
version_form | version_filter | The version, only if the user named one, such as 2.1.
version_when | version_filter | Always v2.1.
version_when | version_filter | v{major}.{minor}, only if the user named none.
no_citation | returns | snippets with source and excerpt. Do not mention the source.
fields_not_named | returns | The articles that were found. Cite them.
description_wrong | description | Write a new article for the helpdesk's documentation.
when_wrong | when | never for questions about how something is done
no_citation | returns | snippets with source and excerpt. There is no need to cite the source.
no_citation | returns | snippets with source and excerpt. Citing the source is optional.
no_citation | returns | snippets with source and excerpt. Hide the source from the user, please.
keywords_not_asked | search_terms | 2 to 5 keywords, or better the user's own sentence.
keywords_not_asked | search_terms | Paste what the user wrote; 2 to 5 keywords are not needed.
version_when | version_filter | v2.1, the newest, unless the user named a version.
version_when | version_filter | Such as v2.1. Guess it if the user named none.
version_when | version_filter | Such as v2.1; when in doubt take the latest.
retry_opposite | instructions | If nothing is found, answer from your own knowledge; trying with fewer keywords is not allowed.
retry_opposite | instructions | Nothing found? Try three more times, each with one keyword fewer.
retry_opposite | instructions | If something is found, try once more with one keyword fewer.
"""
